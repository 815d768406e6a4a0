/** A mail whose server is killed during the attempt is sent by the next server. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { startSmtp, type SmtpOptions } from "../fixtures/smtp-server.ts";

for (const { kind, skip } of DATABASES) {
  test(`an invitation is mailed after a kill on ${kind}`, { skip }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-mail-"));
    const options: { misbehave?: NonNullable<SmtpOptions["misbehave"]> } = { misbehave: "silent" };
    const smtp = await startSmtp(options);
    const environment = { MOORING_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MOORING_MAIL_FROM: "noreply@example.com" };
    const start = (): Promise<Server> => startServer({ dataDir, database: kind, environment });
    let server = await start();
    try {
      const { credential } = await server.bootstrap();
      const token = await server.token(credential);
      const json = { email: "grace@example.com", role: "viewer" };
      const answer = server.call("POST", "/v1/invitations", { token, json });
      answer.catch(() => {}); // The connection breaks.
      await eventually("the attempt", () => (smtp.connections() > 0 ? true : null));
      await server.kill();
      delete options.misbehave;
      server = await start();
      const mail = await eventually("the mail", () => smtp.received[0], 60_000);
      assert.deepEqual(mail.to, ["grace@example.com"]);
      await eventually("the note", async () => {
        const { status, body, text } = await server.call<{ items: { email_sent_at: string | null }[] }>(
          "GET",
          "/v1/invitations",
          { token: await server.token(credential) },
        );
        assert.equal(status, 200, text);
        return body.items[0]?.email_sent_at;
      });
      assert.equal(smtp.received.length, 1);
    } finally {
      await server.dispose();
      await smtp.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
