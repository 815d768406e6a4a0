import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import type { Envelope } from "../identity/keys/index.ts";
import { openTestEnvelope } from "../identity/keys/testing.ts";
import { answering, createIdempotency, kept, type Idempotency, type IdempotencyClaim } from "./index.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ANSWER = { status: 201, body: '{"id":"proj_1"}', whole: null };
const SECRET = { id: "cred_1", client_secret: "shown once" };
const WITHOUT = '{"id":"cred_1","client_secret":null,"replayed":true}';

for (const { kind, skip } of DATABASES) {
  describe(`idempotency keys on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    let envelope: Envelope;
    let nowMs = 1_000_000_000_000;
    let keys = 0;
    const clock = trustedClock({ nowMs: () => nowMs });
    const records = (): Idempotency => createIdempotency({ metadata, clock, envelope });
    const newKey = (): string => `key-${++keys}`;
    const claimed = async (node: Idempotency, key: string, fingerprint: string): Promise<IdempotencyClaim> => {
      const begun = await node.begin(key, fingerprint);
      assert.ok("claim" in begun, "it was answered");
      return begun.claim;
    };
    const coded = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-idempotency-"));
      metadata = await openTestMetadata({
        url: kind === "sqlite" ? undefined : await postgresUrl(dataDir),
        dataDir,
        clock,
      });
      envelope = await openTestEnvelope({ metadata, clock, dataDir });
    });

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    test("the first request runs, and later ones get its answer", async () => {
      const key = newKey();
      await records().complete(await claimed(records(), key, "a"), ANSWER);
      assert.deepEqual(await records().begin(key, "a"), { answer: ANSWER });
      assert.deepEqual(await records().begin(key, "a"), { answer: ANSWER });
    });

    test("another request waits while the first runs", async () => {
      const key = newKey();
      await records().begin(key, "a");
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
    });

    test("one of many concurrent requests runs", async () => {
      const key = newKey();
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => records().begin(key, "a")));
      const ran = outcomes.filter((outcome) => outcome.status === "fulfilled");
      assert.equal(ran.length, 1);
      assert.ok("claim" in (ran[0]?.value ?? {}));
    });

    test("a key is refused for another request, whether the first runs or is done", async () => {
      const key = newKey();
      const claim = await claimed(records(), key, "a");
      await assert.rejects(records().begin(key, "b"), coded("idempotency_key_reused"));
      await records().complete(claim, ANSWER);
      await assert.rejects(records().begin(key, "b"), coded("idempotency_key_reused"));
    });

    test("a failure frees the key", async () => {
      const key = newKey();
      await records().abandon(await claimed(records(), key, "a"));
      await claimed(records(), key, "b");
    });

    test("releasing a key does not forget an answer", async () => {
      const key = newKey();
      const claim = await claimed(records(), key, "a");
      await records().complete(claim, ANSWER);
      await records().abandon(claim);
      assert.deepEqual(await records().begin(key, "a"), { answer: ANSWER });
    });

    test("a request that died holds its key for a minute", async () => {
      const key = newKey();
      await records().begin(key, "a");
      nowMs += MINUTE_MS - 1;
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
      nowMs += 1;
      await claimed(records(), key, "a");
    });

    test("the former holder of a claim can neither answer it nor release it", async () => {
      const key = newKey();
      const first = await claimed(records(), key, "a");
      nowMs += MINUTE_MS;
      const second = await claimed(records(), key, "a");
      await records().complete(first, { ...ANSWER, body: '{"id":"proj_of_the_first"}' });
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
      await records().abandon(first);
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
      await records().complete(second, ANSWER);
      assert.deepEqual(await records().begin(key, "a"), { answer: ANSWER });
    });

    /** Makes a change as operations do: one transaction inserts a row and saves the answer. */
    const change = (id: string, before: () => Promise<void> = async () => {}): Promise<typeof SECRET> =>
      answering(
        (made: string) => ({ ...SECRET, id: made }),
        () =>
          metadata.write(async (tx) => {
            await tx.insertInto("node").values({ id, applied_seq: 0, started_at: 0, seen_at: 0 }).execute();
            await before();
            return kept(tx, id);
          }),
      );
    const made = async (id: string): Promise<boolean> =>
      (await metadata.read.selectFrom("node").select("id").where("id", "=", id).execute()).length === 1;

    test("a change and its answer are committed together; values that are shown once are sealed", async () => {
      const key = newKey();
      const claim = await claimed(records(), key, "a");
      assert.deepEqual(await records().during(claim, 201, () => change("cred_1")), SECRET);
      // Another process, because the first one died before it answered. The secret is not lost.
      const expected = { answer: { status: 201, body: WITHOUT, whole: JSON.stringify(SECRET) } };
      assert.deepEqual(await records().begin(key, "a"), expected);
      nowMs += MINUTE_MS;
      assert.deepEqual(await records().begin(key, "a"), expected);
      const row = await metadata.read
        .selectFrom("idempotency")
        .selectAll()
        .where("key_hash", "=", key)
        .executeTakeFirstOrThrow();
      assert.ok(!Buffer.from(row.sealed ?? []).includes("shown once") && !row.body.includes("shown once"));
    });

    test("an answer that was sent completely does not show its secret again; an interrupted one does", async () => {
      const key = newKey();
      const node = records();
      await node.during(await claimed(node, key, "a"), 201, () => change(key));
      await node.leaving(key, Promise.resolve(false));
      const cutOff = await node.begin(key, "a");
      assert.notEqual("answer" in cutOff && cutOff.answer.whole, null);
      const left = Promise.withResolvers<boolean>();
      const leaving = node.leaving(key, left.promise);
      const meanwhile = node.begin(key, "a");
      left.resolve(true);
      await leaving;
      for (const begun of [await meanwhile, await node.begin(key, "a")])
        assert.deepEqual("answer" in begun && begun.answer.whole, null);
    });

    test("a failed change leaves neither itself nor an answer", async () => {
      const key = newKey();
      const node = records();
      const claim = await claimed(node, key, "a");
      const fails = async (): Promise<void> => Promise.reject(new Error("changed my mind"));
      await assert.rejects(
        node.during(claim, 201, () => change(key, fails)),
        /changed my mind/,
      );
      await node.abandon(claim);
      assert.equal(await made(key), false);
      await claimed(node, key, "b");
    });

    test("a change whose claim another request took over is not made", async () => {
      const key = newKey();
      const slow = records();
      const first = await claimed(slow, key, "a");
      nowMs += MINUTE_MS;
      const second = await claimed(records(), key, "a");
      await assert.rejects(
        slow.during(first, 201, () => change(`${key}-first`)),
        coded("idempotency_in_progress"),
      );
      await records().during(second, 201, () => change(`${key}-second`));
      assert.deepEqual([await made(`${key}-first`), await made(`${key}-second`)], [false, true]);
    });

    test("one of many requests that take over a claim runs", async () => {
      const key = newKey();
      await claimed(records(), key, "a");
      nowMs += MINUTE_MS;
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => records().begin(key, "a")));
      assert.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 1);
    });

    test("an answer is kept for a day", async () => {
      const key = newKey();
      const node = records();
      await node.complete(await claimed(node, key, "a"), ANSWER);
      nowMs += DAY_MS - 1;
      assert.deepEqual(await node.begin(key, "a"), { answer: ANSWER });
      nowMs += 1;
      await claimed(node, key, "b");
    });

    test("answers older than a day are deleted", async () => {
      const node = records();
      await node.begin(newKey(), "a");
      nowMs += DAY_MS + MINUTE_MS;
      await node.begin(newKey(), "a");
      const { count } = await metadata.read
        .selectFrom("idempotency")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      assert.equal(Number(count), 1);
    });
  });
}
