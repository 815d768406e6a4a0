import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf, chartOf, firstDayOf, type DailyUsage } from "./history.ts";

const NOW = Date.parse("2026-11-27T15:00:00Z");

function row(of: Partial<DailyUsage>): DailyUsage {
  const flows = { requests: 0, refused: 0, bytes_in: 0, bytes_out: 0, bytes_scanned: 0, bytes_stored: 0 };
  return { day: "2026-11-27", ...flows, ...of };
}

test("the chart has each day of the period, and a series for each service with values", () => {
  const from = firstDayOf(3, NOW);
  assert.equal(from, "2026-11-25");
  const rows = [
    row({ service: "s3", requests: 5 }),
    row({ day: "2026-11-25", service: "files", requests: 2 }),
    row({ service: "query", bytes_scanned: 9 }),
  ];
  const { times, series } = chartOf(rows, "requests", from, NOW);
  assert.deepEqual(
    times.map((s) => new Date(s * 1000).toISOString().slice(0, 10)),
    ["2026-11-25", "2026-11-26", "2026-11-27"],
  );
  assert.deepEqual(series, [
    { label: "files", values: [2, 0, 0] },
    { label: "s3", values: [0, 0, 5] },
  ]);
});

test("bars leave out rows without a value", () => {
  const rows = [row({ project_id: "proj_1", bytes_in: 4 }), row({ project_id: null })];
  assert.deepEqual(
    barsOf(rows, "bytes_in", ({ project_id: id }) => id ?? "none"),
    [{ name: "proj_1", values: [4] }],
  );
});
