import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "#kernel/metrics/index.ts";
import { systemClock } from "#kernel/time.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { eventually } from "../../../tests/fixtures/process.ts";
import { StoreProbes } from "./probes.ts";

test("a store that takes no writes is reported with the reason, until it takes them again", async () => {
  const metrics = new Metrics();
  const lines: string[] = [];
  const log = {
    warn: (fields: unknown, message?: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
    info: (fields: unknown, message?: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  let failure: Error | null = full;
  let isHanging = true;
  const probes = new StoreProbes(
    [
      { name: "records", directory: null, probe: () => (isHanging ? new Promise<never>(() => {}) : Promise.resolve()) },
      {
        name: "objects",
        directory: process.cwd(),
        probe: () => (failure === null ? Promise.resolve() : Promise.reject(failure)),
      },
    ],
    { metrics, log, schedule: new Schedule(systemClock) },
  );
  const becomes = (ok: boolean): Promise<true> =>
    eventually(`the store to be ${ok ? "well" : "ill"}`, () => (probes.health("objects").ok === ok ? true : null));
  try {
    await becomes(false);
    assert.deepEqual(probes.health("objects"), {
      ok: false,
      detail: "no space left on device",
      reason: "disk_full",
    });
    assert.match(await metrics.text(), /^mooring_store_writable\{store="objects"\} 0$/m);
    assert.match(await metrics.text(), /^mooring_store_failed\{store="objects",reason="disk_full"\} 1$/m);
    failure = null;
    isHanging = false;
    await becomes(true);
    const text = await metrics.text();
    assert.match(text, /^mooring_store_writable\{store="objects"\} 1$/m);
    assert.match(text, /^mooring_store_failed\{store="objects",reason="disk_full"\} 0$/m);
    assert.match(text, /^mooring_disk_free_bytes\{store="objects"\} [1-9]/m);
    assert.doesNotMatch(text, /^mooring_disk_free_bytes\{store="records"\}/m);
    assert.deepEqual(lines, [
      'a store does not take writes {"store":"objects","reason":"disk_full","detail":"no space left on device"}',
      'a store takes writes again {"store":"objects"}',
    ]);
  } finally {
    await probes.stop();
  }
});
