import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { createIdempotency } from "./index.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ANSWER = { status: 201, body: '{"id":"proj_1"}' };

for (const { kind, skip } of DATABASES) {
  describe(`idempotency keys on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    let nowMs = 1_000_000_000_000;
    let keys = 0;
    const clock = { nowMs: () => nowMs };
    const records = (): ReturnType<typeof createIdempotency> => createIdempotency({ metadata, clock });
    const newKey = (): string => `key-${++keys}`;
    const coded = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-idempotency-"));
      metadata = await openMetadata({
        url: kind === "sqlite" ? undefined : await postgresUrl(dataDir),
        dataDir,
        clock,
      });
    });

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    test("the first runs, and its answer is given to those that follow", async () => {
      const key = newKey();
      assert.equal(await records().begin(key, "a"), null);
      await records().complete(key, ANSWER);
      assert.deepEqual(await records().begin(key, "a"), ANSWER);
      assert.deepEqual(await records().begin(key, "a"), ANSWER);
    });

    test("while the first runs, another is told to wait", async () => {
      const key = newKey();
      await records().begin(key, "a");
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
    });

    test("of many at once, one runs", async () => {
      const key = newKey();
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => records().begin(key, "a")));
      const ran = outcomes.filter((outcome) => outcome.status === "fulfilled");
      assert.deepEqual(
        ran.map((outcome) => outcome.value),
        [null],
      );
    });

    test("a key is not taken for another request, whether the first runs or is done", async () => {
      const key = newKey();
      await records().begin(key, "a");
      await assert.rejects(records().begin(key, "b"), coded("idempotency_key_reused"));
      await records().complete(key, ANSWER);
      await assert.rejects(records().begin(key, "b"), coded("idempotency_key_reused"));
    });

    test("after a failure the key is free", async () => {
      const key = newKey();
      await records().begin(key, "a");
      await records().abandon(key);
      assert.equal(await records().begin(key, "b"), null);
    });

    test("giving a key back does not forget an answer", async () => {
      const key = newKey();
      await records().begin(key, "a");
      await records().complete(key, ANSWER);
      await records().abandon(key);
      assert.deepEqual(await records().begin(key, "a"), ANSWER);
    });

    test("a request that died holds its key for a minute", async () => {
      const key = newKey();
      await records().begin(key, "a");
      nowMs += MINUTE_MS - 1;
      await assert.rejects(records().begin(key, "a"), coded("idempotency_in_progress"));
      nowMs += 1;
      assert.equal(await records().begin(key, "a"), null);
    });

    test("an answer is remembered for a day", async () => {
      const key = newKey();
      const node = records();
      await node.begin(key, "a");
      await node.complete(key, ANSWER);
      nowMs += DAY_MS - 1;
      assert.deepEqual(await node.begin(key, "a"), ANSWER);
      nowMs += 1;
      assert.equal(await node.begin(key, "b"), null);
    });

    test("what is older than a day is forgotten", async () => {
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
