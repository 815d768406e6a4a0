import assert from "node:assert/strict";
import { test } from "node:test";
import { durationsOf, durationsSql } from "./durations.ts";
import { foundStatement } from "./trace-sql.ts";

const RANGE = { fromMs: 0, toMs: 120_000, stepMs: 60_000 };

test("traces are counted by time and by duration", () => {
  const quantiles = { p50: 12, p95: 900, p99: 1500 };
  const { heat, rowTexts, histogram, places, traces } = durationsOf(
    [
      { bin: 0, bar: 6, traces: 3, ...quantiles },
      { bin: 0, bar: 7, traces: "2", ...quantiles },
      { bin: 60_000, bar: 18, traces: 1, ...quantiles },
    ],
    RANGE,
  );
  assert.equal(traces, 6);
  assert.deepEqual(heat.series[0], { label: "10 ms to 22 ms", values: [5, 0] });
  assert.deepEqual(heat.series.at(-1), { label: "1.0 s to 2.2 s", values: [0, 1] });
  assert.deepEqual(
    rowTexts.filter((text) => text !== ""),
    ["10 ms", "100 ms", "1 s"],
  );
  assert.equal(histogram.times[0], 1);
  assert.deepEqual(histogram.series[0]?.values.slice(0, 2), [3, 2]);
  assert.deepEqual(
    places.map(({ text }) => text),
    ["p50 12 ms", "p95 900 ms", "p99 1.5 s"],
  );
});

test("no traces make empty charts", () => {
  const { heat, histogram, traces } = durationsOf([], RANGE);
  assert.deepEqual([heat.series, histogram.series, traces], [[], [], 0]);
});

test("typed text stays a parameter in the statement of the durations", () => {
  const filter = {
    service: "a' OR 1",
    name: "",
    leastMs: 0,
    errorsOnly: false,
    order: "newest",
    projectId: null,
  } as const;
  const { sql, parameters } = foundStatement(filter);
  assert.doesNotMatch(durationsSql(sql), /OR 1|LIMIT|ORDER BY started/);
  assert.deepEqual(parameters, { service: "a' OR 1" });
});
