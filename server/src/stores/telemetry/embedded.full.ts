import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { openTelemetry } from "./index.ts";
import type { TelemetryStore } from "./types.ts";
import { logBatch, recordingLog, temporaryDirectory } from "./testing/store.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { TEST_ORIGIN } from "./testing/origin.ts";

const SETTINGS = {
  compactionRowsBytes: 1024,
  compactionIntervalMs: 60_000,
  queryConcurrency: 4,
  queryConcurrencyOrganization: 4,
};

async function open(dataDir: string): Promise<TelemetryStore & AsyncDisposable> {
  const metadata = await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  const store = await openTelemetry({
    schedule: new Schedule(systemClock),
    dataDir,
    metadata,
    clock: trustedClock(systemClock),
    log: recordingLog(),
    settings: SETTINGS,
  });
  const close = async (): Promise<void> => {
    await store.close();
    await metadata.close();
  };
  return { ...store, [Symbol.asyncDispose]: close };
}

async function count(store: TelemetryStore, orgId: string): Promise<string> {
  const run = await store.query({
    orgId,
    origin: TEST_ORIGIN,
    visible: "all",
    sql: "SELECT count(*) AS n, count(DISTINCT message) AS d FROM logs",
    parameters: [],
    format: "csv",
    timeoutMs: 30_000,
    memoryBytesMax: 256 * 1024 * 1024,
    rowsMax: 10,
    truncate: false,
    signal: new AbortController().signal,
  });
  return text(run.body);
}

test("a query sees every batch acknowledged before it, through compaction and a restart", async () => {
  await using dir = await temporaryDirectory();
  let taken = 0;
  const append = async (store: TelemetryStore): Promise<void> => {
    const messages = Array.from({ length: 10 }, () => `row ${taken++}`);
    await store.append(logBatch("org_a", messages));
  };
  {
    await using store = await open(dir.path);
    for (let i = 0; i < 5; i++) {
      await append(store);
      assert.equal(await count(store, "org_a"), `n,d\r\n${taken},${taken}\r\n`);
    }
    assert.equal(await count(store, "org_b"), "n,d\r\n0,0\r\n");
    for (let i = 0; i < 20; i++) await append(store);
    const deadline = performance.now() + 60_000;
    while (store.health().hotRows > 0) {
      assert.ok(performance.now() < deadline, "the schedule compacts nothing");
      await delay(20);
    }
    assert.equal(await count(store, "org_a"), `n,d\r\n${taken},${taken}\r\n`);
    await append(store);
  }
  await using store = await open(dir.path);
  assert.equal(await count(store, "org_a"), `n,d\r\n${taken},${taken}\r\n`);
  const { ok, hotRows, queriesRunning } = store.health();
  assert.deepEqual({ ok, hotRows, queriesRunning }, { ok: true, hotRows: 10, queriesRunning: 0 });
});
