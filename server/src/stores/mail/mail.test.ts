import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { makeCertificates } from "../../../../tests/fixtures/certificates.ts";
import { startSmtp, type SmtpOptions, type SmtpServer } from "../../../../tests/fixtures/smtp-server.ts";
import { MailFailure, openMail, parseSmtpUrl, type MailMessage } from "./index.ts";

const FROM = "Mooring <noreply@example.com>";
const MESSAGE: MailMessage = { to: "grace@example.com", subject: "Grüße", text: "Hello\n.\nline\n" };
const PASSWORD = "p@ss/word?";

let directory: string;
let ca: string;
let tls: { key: string; cert: string };

before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-mail-"));
  const files = makeCertificates(directory);
  ca = readFileSync(files.caFile, "utf8");
  tls = { key: readFileSync(files.keyFile, "utf8"), cert: readFileSync(files.certificateFile, "utf8") };
});

after(() => rmSync(directory, { recursive: true }));

async function smtp(t: TestContext, options: SmtpOptions = {}): Promise<SmtpServer> {
  const server = await startSmtp(options);
  t.after(() => server.close());
  return server;
}

async function failure(url: string, options: { ca?: string; timeoutMs?: number } = {}): Promise<MailFailure> {
  const sent = openMail({ url, from: FROM, ...options }).send(MESSAGE);
  return sent.then(
    () => assert.fail("it was sent"),
    (error: unknown) => (error instanceof MailFailure ? error : assert.fail(String(error))),
  );
}

test("a message arrives unchanged, and the result has the server's reply", async (t) => {
  const server = await smtp(t);
  const mail = openMail({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  assert.deepEqual(await mail.send(MESSAGE), { code: 250, text: "2.0.0 queued as 4711" });
  const [message = assert.fail()] = server.received;
  assert.equal(message.from, "noreply@example.com");
  assert.deepEqual(message.to, ["grace@example.com"]);
  assert.match(message.text, /^Subject: =\?UTF-8\?/m);
  assert.match(message.text, /\n\nHello\n\.\nline$/);
  assert.equal(message.isEncrypted, false);
});

test("a text that looks like several recipients or like a header is one address or is refused", async (t) => {
  const server = await smtp(t);
  const mail = openMail({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  for (const to of ["a@example.com, b@example.com", "a@example.com\r\nBcc: b@example.com"])
    await mail.send({ ...MESSAGE, to, subject: "x\r\nBcc: c@example.com" }).catch(() => undefined);
  for (const { to, text } of server.received) {
    assert.ok(!to.includes("b@example.com") && !to.includes("c@example.com"), JSON.stringify(to));
    assert.doesNotMatch(text, /^Bcc:/im);
  }
});

test("STARTTLS comes before the password, or TLS before the first byte", async (t) => {
  const auth = { user: "mooring", password: PASSWORD };
  const who = `mooring:${encodeURIComponent(PASSWORD)}@`;
  const upgraded = await smtp(t, { tls, auth });
  await openMail({ url: `smtp://${who}127.0.0.1:${upgraded.port}?tls=required`, from: FROM, ca }).send(MESSAGE);
  const implicit = await smtp(t, { tls: { ...tls, implicit: true }, auth });
  await openMail({ url: `smtps://${who}localhost:${implicit.port}`, from: FROM, ca }).send(MESSAGE);
  for (const { received } of [upgraded, implicit])
    assert.deepEqual([received[0]?.isEncrypted, received[0]?.user], [true, "mooring"]);
});

test("nothing is sent unencrypted to a server without STARTTLS or with another server's certificate", async (t) => {
  const plain = await smtp(t, { auth: { user: "mooring", password: PASSWORD } });
  const without = await failure(`smtp://mooring:x@127.0.0.1:${plain.port}?tls=required`);
  assert.match(without.message, /does not offer the required TLS/);
  const encrypted = await smtp(t, { tls });
  const stranger = await failure(`smtp://127.0.0.1:${encrypted.port}?tls=required`);
  assert.match(stranger.message, /no connection to .*certificate/);
  assert.deepEqual([...plain.received, ...encrypted.received], []);
});

test("a wrong password has its own error, which never contains it, though the server repeats it", async (t) => {
  const server = await smtp(t, { auth: { user: "mooring", password: "another" } });
  const error = await failure(`smtp://mooring:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`);
  assert.match(error.message, /refused the user and password: 535 5\.7\.8 wrong: PLAIN \*\*\* \*\*\*$/);
  assert.equal(error.reply?.code, 535);
  const encoded = Buffer.from(`\0mooring\0${PASSWORD}`).toString("base64");
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), encoded])
    assert.ok(!JSON.stringify([error.message, error.stack, error]).includes(secret));
});

test("a refused recipient has a separate error", async (t) => {
  const server = await smtp(t, { misbehave: { recipient: "550 5.1.1 no such user" } });
  const error = await failure(`smtp://127.0.0.1:${server.port}`);
  assert.match(error.message, /refused the recipient: 550 5\.1\.1 no such user$/);
  assert.equal(error.isRecipient, true);
});

test("a server that hangs, closes or is missing ends the wait", async (t) => {
  const silent = await smtp(t, { misbehave: "silent" });
  assert.match(
    (await failure(`smtp://127.0.0.1:${silent.port}`, { timeoutMs: 200 })).message,
    /did not answer in time/,
  );
  const closing = await smtp(t, { misbehave: "close" });
  assert.match((await failure(`smtp://127.0.0.1:${closing.port}`)).message, /no connection to 127\.0\.0\.1 port/);
  const gone = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => gone.once("listening", resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => gone.close(resolve));
  assert.match((await failure(`smtp://127.0.0.1:${port}`)).message, /no connection to .*ECONNREFUSED/);
});

test("addresses: defaults, encryption, and mistakes that don't repeat the password", () => {
  const bare = { user: null, password: null };
  assert.deepEqual(parseSmtpUrl("smtps://mx.example.com"), {
    host: "mx.example.com",
    port: 465,
    security: "tls",
    ...bare,
  });
  assert.deepEqual(parseSmtpUrl("smtp://a:b%40@mx.example.com"), {
    host: "mx.example.com",
    port: 587,
    security: "starttls",
    user: "a",
    password: "b@",
  });
  assert.equal(parseSmtpUrl("smtp://[::1]:25").security, "none");
  assert.equal(parseSmtpUrl("smtp://relay.internal:25?tls=none").security, "none");
  for (const wrong of [
    "http://a:secret@b",
    "smtp://a:secret@",
    "smtp://a:secret@b/path",
    "smtp://a:secret@b?tls=maybe",
    "smtp://a:secret@b?tls=none",
    "smtps://a:secret@b?tls=none",
    "smtp://a:secret%@b",
    "smtp://secret@b",
  ])
    assert.throws(
      () => parseSmtpUrl(wrong),
      (error: Error) => !error.message.includes("secret"),
      wrong,
    );
});
