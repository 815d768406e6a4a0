import assert from "node:assert/strict";
import { test } from "node:test";
import { firingOf, valuesOf } from "./evaluation-chart.ts";

const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const evaluation = (minute: number, state: "ok" | "firing", value: number | null) => ({
  sequence: minute,
  at: at(minute),
  outcome: "true" as const,
  state,
  value,
  error: null,
  elapsed_ms: 1,
});

test("values are oldest first, and an alert is marked for as long as it fired", () => {
  const newestFirst = [
    evaluation(5, "firing", 9),
    evaluation(4, "ok", null),
    evaluation(3, "firing", 8),
    evaluation(2, "firing", 7),
    evaluation(1, "ok", 1),
  ];
  assert.deepEqual(valuesOf(newestFirst, "rows"), {
    times: [60, 120, 180, 240, 300],
    series: [{ label: "rows", values: [1, 7, 8, null, 9] }],
  });
  assert.deepEqual(firingOf(newestFirst), [
    { kind: "alert", fromS: 120, toS: 240, level: "error" },
    { kind: "alert", fromS: 300, toS: 300, level: "error" },
  ]);
});
