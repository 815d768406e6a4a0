import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bodyOf,
  conditionText,
  draftOf,
  EMPTY_DRAFT,
  faultsOf,
  holds,
  nextAt,
  scheduleText,
  secondsOf,
  secondsText,
  type Alert,
} from "./alert-draft.ts";

const GOOD = { ...EMPTY_DRAFT, name: "errors", url: "https://example.com/hook" };

test("durations are read as people write them", () => {
  assert.deepEqual(["90", "90s", "5m", "2 h", "1d"].map(secondsOf), [90, 90, 300, 7200, 86_400]);
  for (const text of ["", "5 minutes", "-1", "1.5h"]) assert.ok(Number.isNaN(secondsOf(text)), text);
  assert.deepEqual([60, 90, 7200, 86_400, 10].map(secondsText), ["1m", "90s", "2h", "1d", "10s"]);
});

test("errors of a draft, field by field", () => {
  assert.deepEqual(faultsOf(GOOD), {});
  const faults = faultsOf({
    ...GOOD,
    name: " ",
    url: "ftp://x",
    threshold: "",
    every: "5s",
    forEvaluations: "0",
    window: "x",
  });
  assert.deepEqual(Object.keys(faults).toSorted(), ["every", "forEvaluations", "name", "threshold", "url", "window"]);
});

test("a number of rows is bounded, a column's value is not", () => {
  assert.ok(faultsOf({ ...GOOD, threshold: "10000" }).threshold);
  assert.deepEqual(faultsOf({ ...GOOD, threshold: "10000", column: "n" }), {});
});

test("a draft becomes a body, and the alert becomes the same draft", () => {
  const draft = { ...GOOD, column: "p95", operator: ">=", threshold: "250", renotify: "1h", window: "" } as const;
  const body = bodyOf(draft);
  assert.deepEqual(body.condition, { column: "p95", operator: ">=", threshold: 250 });
  assert.equal(body.window_s, null);
  assert.equal(body.renotify_s, 3600);
  assert.deepEqual(draftOf({ ...body, for_evaluations: 1 } as unknown as Alert), draft);
});

test("conditions are described and compared in the same way", () => {
  assert.equal(conditionText({ operator: ">", threshold: 0 }), "number of rows > 0");
  assert.equal(holds(1, { operator: ">", threshold: 0 }), true);
  assert.equal(holds(0, { operator: "!=", threshold: 0 }), false);
});

test("a schedule is described in words", () => {
  const alert = { every_s: 60, window_s: 300, for_evaluations: 2 } as Alert;
  assert.equal(scheduleText(alert), "every 1 min, over 5 min, 2 times in a row");
  assert.equal(scheduleText({ ...alert, window_s: null, for_evaluations: 1 }), "every 1 min");
});

test("the next evaluation is one interval after the last", () => {
  const alert = { enabled: true, evaluated_at: "2026-01-01T00:00:00.000Z", every_s: 60 } as Alert;
  assert.equal(nextAt(alert), "2026-01-01T00:01:00.000Z");
  assert.equal(nextAt({ ...alert, enabled: false }), null);
});
