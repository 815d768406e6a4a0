import assert from "node:assert/strict";
import { test } from "node:test";
import { activityOf, firstHour, HOURS } from "./activity.ts";

test("events are counted by the hour, the current hour last", () => {
  const now = new Date("2026-01-10T12:34:56Z");
  const from = firstHour(now);
  assert.equal(from.toISOString(), "2026-01-09T13:00:00.000Z");
  const hour = Date.parse("2026-01-10T12:00:00Z") / 3_600_000;
  const activity = activityOf(
    [
      { webhook_id: "hook_a", hour, events: 2, newest: "2026-01-10T12:30:00.123456Z" },
      { webhook_id: "hook_a", hour: hour - 23, events: "3", newest: "2026-01-09T13:10:00Z" },
      { webhook_id: "hook_b", hour: hour - 1, events: 1, newest: "2026-01-10T11:00:00Z" },
    ],
    from,
  );
  const a = activity.get("hook_a");
  assert.equal(a?.events, 5);
  assert.equal(a?.byHour.length, HOURS);
  assert.deepEqual([a?.byHour[0], a?.byHour[22], a?.byHour[23]], [3, 0, 2]);
  assert.equal(a?.newest, "2026-01-10T12:30:00.123Z");
  assert.equal(activity.get("hook_b")?.byHour[22], 1);
});
