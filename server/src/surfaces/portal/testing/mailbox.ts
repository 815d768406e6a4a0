import assert from "node:assert/strict";
import { openMail, type Mail } from "#stores/mail/index.ts";
import { decodedMail, startSmtp, type Received } from "../../../../../tests/fixtures/smtp-server.ts";

const PATIENCE_MS = 10_000;

/** A real mail server, with the mails that it received. */
export interface Mailbox {
  readonly mail: Mail;
  readonly received: readonly Received[];
  /** Returns the text of the newest matching mail to an address, once it has arrived. */
  next(to: string, about: RegExp): Promise<string>;
  close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const smtp = await startSmtp();
  return {
    mail: openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from: "noreply@example.com" }),
    received: smtp.received,
    next: async (to, about) => {
      const untilMs = performance.now() + PATIENCE_MS;
      for (;;) {
        const texts = smtp.received.filter((mail) => mail.to.includes(to)).map(({ text }) => decodedMail(text));
        const found = texts.findLast((text) => about.test(text));
        if (found !== undefined) return found;
        if (performance.now() > untilMs)
          assert.fail(`no mail to ${to} about ${String(about)}: ${texts.join("\n---\n")}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: () => smtp.close(),
  };
}
