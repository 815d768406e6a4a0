import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOK_EVERY_MS } from "./event-loop.ts";
import { createHttpMetrics } from "./metrics.ts";

const NAMES = ["", "_min", "_max", "_mean", "_stddev", "_p50", "_p90", "_p99"].map(
  (figure) => `nodejs_eventloop_lag${figure}_seconds`,
);
const HELD_MS = 400;
/** The loop is blocked several times, because the first measurement after a report is skipped. */
const HOLDS = 4;

test("every figure of the event loop's lag is reported, without the time between two measurements", async () => {
  const { registry } = createHttpMetrics();
  const read = async (name: string): Promise<number> => {
    const metric = (await registry.getMetricsAsJSON()).find((each) => each.name === name);
    return (metric?.values as { value: number }[] | undefined)?.[0]?.value ?? assert.fail(`${name} is missing`);
  };
  for (const name of NAMES) assert.ok(Number.isFinite(await read(name)), name);

  for (let hold = 0; hold < HOLDS; hold += 1) {
    for (const untilMs = performance.now() + HELD_MS; performance.now() < untilMs;);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const lagS = await read("nodejs_eventloop_lag_max_seconds");
  assert.ok(lagS >= (HELD_MS - LOOK_EVERY_MS) / 2000, `a blocked event loop was not measured: ${lagS} s`);
});
