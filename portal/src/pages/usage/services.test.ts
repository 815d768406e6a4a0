import assert from "node:assert/strict";
import { test } from "node:test";
import { DAYS, daysOf, fillOf, firstDay } from "./services.ts";

test("the state of a quota counts reserved bytes", () => {
  const of = (bytes: number, pendingBytes: number, quotaBytes: number | null) =>
    fillOf({ bytes, pendingBytes, quotaBytes });
  assert.equal(of(10, 0, null), null);
  assert.deepEqual(of(10, 0, 100), { share: 0.1, kind: "go" });
  assert.deepEqual(of(70, 10, 100), { share: 0.8, kind: "warn" });
  assert.deepEqual(of(100, 0, 100), { share: 1, kind: "stop" });
  assert.deepEqual(of(0, 0, 0), { share: 1, kind: "stop" });
});

test("each of the last days is there, today last", () => {
  const now = new Date("2026-03-02T10:00:00Z");
  const days = daysOf(
    [
      { type: "traces", day: "2026-03-02", entries: "3" },
      { type: "logs", day: "2026-02-28", entries: 5 },
      { type: "logs", day: "2025-01-01", entries: 9 },
    ],
    now,
  );
  assert.equal(days.length, DAYS);
  assert.deepEqual(days.at(-1), { day: "2026-03-02", counts: [0, 0, 3] });
  assert.deepEqual(days.at(-3), { day: "2026-02-28", counts: [5, 0, 0] });
  assert.equal(firstDay(now), "2026-02-17T00:00:00Z");
  assert.equal(days[0]?.day, "2026-02-17");
});
