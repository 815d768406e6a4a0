import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { createJobs, Schedule, type Jobs } from "#stores/jobs/index.ts";
import { openMail } from "#stores/mail/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { decodedMail, startSmtp, type SmtpServer } from "../../../../tests/fixtures/smtp-server.ts";
import { createMails, type Mails } from "./index.ts";

const MINUTE_MS = 60_000;
const MESSAGE = { to: "grace@example.com", subject: "Hello", text: "https://portal.example/reset#secret-link\n" };
const SECRET = /secret-link/;

/** Sealing has its own tests. This only hides the text. */
const envelope = {
  seal: (_place: unknown, plain: Uint8Array) => Buffer.from(plain).map((byte) => byte ^ 0x55),
  open: (_place: unknown, sealed: Uint8Array) => Buffer.from(sealed).map((byte) => byte ^ 0x55) as Buffer,
};

describe("mails", () => {
  let nowMs = Date.parse("2026-11-20T08:00:00Z");
  const clock = { nowMs: () => nowMs };
  const options: { misbehave?: { recipient: string } } = {};
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-mails-"));
  let smtp: SmtpServer;
  let metadata: MetadataStore;
  let jobs: Jobs;
  let mails: Mails;

  before(async () => {
    smtp = await startSmtp(options);
    metadata = await openTestMetadata({ url: undefined, dataDir, clock });
    const log = { warn: () => {} };
    jobs = createJobs({ metadata, clock, log, schedule: new Schedule(clock), pollMs: 20 });
    const mail = openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from: "Mooring <noreply@example.com>" });
    mails = createMails({ mail, metadata, clock, jobs, envelope, log });
    jobs.start([mails.handler]);
  });
  beforeEach(() => {
    delete options.misbehave;
    smtp.received.length = 0;
  });
  after(async () => {
    await jobs.stop();
    await metadata.close();
    await smtp.close();
    rmSync(dataDir, { recursive: true });
  });

  async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const untilMs = performance.now() + 20_000;
    while (!(await isSo())) {
      assert.ok(performance.now() < untilMs, what);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const attempts = async (): Promise<number | undefined> => (await mails.undelivered())[0]?.attempts;

  test("an accepted mail leaves nothing behind", async () => {
    assert.deepEqual(await mails.send({ message: MESSAGE }), { failure: null });
    assert.equal(smtp.received.length, 1);
    assert.deepEqual(await mails.undelivered(), []);
    assert.deepEqual(await metadata.read.selectFrom("job").selectAll().execute(), []);
  });

  test("a mail that is refused for now is sent again, with the same Message-ID and its text sealed meanwhile", async () => {
    options.misbehave = { recipient: "450 4.2.0 greylisted" };
    const { failure } = await mails.send({ message: MESSAGE });
    assert.match(String(failure), /450 4\.2\.0 greylisted.*The server tries again/);
    const rows = await metadata.read.selectFrom("mail").selectAll().execute();
    assert.doesNotMatch(String(rows[0]?.body), SECRET);
    const waits: number[] = [];
    for (let n = 1; n <= 2; n++) {
      const [{ next_at: next } = assert.fail()] = await mails.undelivered();
      waits.push(((next ?? 0) - nowMs) / MINUTE_MS);
      nowMs = next ?? 0;
      if (n === 2) delete options.misbehave;
      else await eventually("another attempt", async () => (await attempts()) === n + 1);
    }
    assert.deepEqual(waits, [1, 5]);
    await eventually("the mail", async () => smtp.received.length === 1 && (await attempts()) === undefined);
    const text = smtp.received[0]?.text ?? "";
    assert.match(decodedMail(text), SECRET);
    assert.match(text, new RegExp(`^Message-ID: <${rows[0]?.id}@example\\.com>`, "m"));
  });

  test("a refused address is final, and the operator sees the mail without its text for 30 days", async () => {
    options.misbehave = { recipient: "550 5.1.1 no such user" };
    const { failure } = await mails.send({ message: MESSAGE });
    assert.match(String(failure), /does not accept this address: 550 5\.1\.1 no such user/);
    const [row] = await metadata.read.selectFrom("mail").selectAll().execute();
    assert.deepEqual([row?.body, row?.next_at, row?.failed_at], [null, null, nowMs]);
    nowMs += 30 * 24 * 60 * MINUTE_MS;
    await eventually("the end of the list", async () => (await mails.undelivered()).length === 0);
    assert.equal(smtp.received.length, 0);
  });

  test("five repetitions fail, then the server gives up", async () => {
    options.misbehave = { recipient: "450 4.2.0 not now" };
    await mails.send({ message: MESSAGE });
    const waits: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const [{ next_at: next } = assert.fail()] = await mails.undelivered();
      waits.push(((next ?? 0) - nowMs) / MINUTE_MS);
      nowMs = next ?? 0;
      await eventually("another attempt", async () => (await attempts()) === n + 1);
    }
    assert.deepEqual(waits, [1, 5, 30, 120, 720]);
    const [last] = await mails.undelivered();
    assert.match(last?.failure ?? "", /in 6 attempts/);
    assert.equal(last?.failed_at, nowMs);
  });

  test("a mail is not sent after its link has ended", async () => {
    options.misbehave = { recipient: "450 4.2.0 not now" };
    const { failure } = await mails.send({ message: MESSAGE, expiresAtMs: nowMs + MINUTE_MS });
    assert.match(String(failure), /link expires before the next attempt/);
    assert.equal((await mails.undelivered())[0]?.failed_at, nowMs);
  });
});
