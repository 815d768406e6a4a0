import { createMails, type MailParts, type Mails } from "#domain/mail/index.ts";
import { isIP } from "node:net";
import { openMail, parseSmtpUrl } from "#stores/mail/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { Config } from "./config.ts";
import { proxyOf } from "./outbound.ts";

type Parts = Omit<MailParts, "envelope" | "mail"> & {
  readonly config: Config;
  readonly identity: Pick<Identity, "envelope">;
};

/** The part of the server that sends mails. */
export interface MailPart {
  /** Null when no mail server is configured. */
  readonly mails: Mails | null;
  start(): void;
}

/** Returns the proxy's address, unless the mail server is reached without it. */
function proxyUrlFor(config: Config, url: string): string | undefined {
  const { host } = parseSmtpUrl(url);
  const isDirect = proxyOf(config)?.bypasses(host, isIP(host) === 0 ? [] : [host]) ?? true;
  return isDirect ? undefined : (config.egress_proxy_url ?? undefined);
}

export function createMail({ config, identity, ...parts }: Parts): MailPart {
  const { smtp_url: url, mail_from: from } = config;
  if (url === null || from === null) return { mails: null, start: () => {} };
  const mails = createMails({
    ...parts,
    mail: openMail({ url, from, proxyUrl: proxyUrlFor(config, url) }),
    envelope: identity.envelope,
  });
  return { mails, start: () => parts.jobs.start([mails.handler]) };
}
