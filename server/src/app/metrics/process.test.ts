import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "#kernel/metrics/index.ts";
import { systemClock } from "#kernel/time.ts";
import { eventually } from "../../../../tests/fixtures/process.ts";
import { LOOK_EVERY_MS, startProcessMetrics } from "./process.ts";

const HELD_MS = 400;

test("a blocked main thread is measured, without the time between two measurements", async () => {
  const metrics = new Metrics();
  const measured = startProcessMetrics(metrics, "1.2.3", systemClock);
  try {
    for (const untilMs = performance.now() + HELD_MS; performance.now() < untilMs;);
    const text = await eventually("the delay", async () => {
      const all = await metrics.text();
      return /^mooring_eventloop_delay_seconds_count [1-9]/m.test(all) ? all : null;
    });
    const sumS = Number(/^mooring_eventloop_delay_seconds_sum (\S+)$/m.exec(text)?.[1]);
    assert.ok(sumS >= (HELD_MS - LOOK_EVERY_MS) / 1000 && sumS < 10, `${sumS} s`);
    assert.match(text, /^mooring_build_info\{version="1\.2\.3",node_version="\d+\.\S+"\} 1$/m);
    for (const name of ["process_resident_memory_bytes", "process_start_time_seconds", "process_cpu_seconds_total"])
      assert.match(text, new RegExp(`^${name} [0-9.]*[1-9]`, "m"));
  } finally {
    measured.stop();
  }
});
