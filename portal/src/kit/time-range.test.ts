import assert from "node:assert/strict";
import { test } from "node:test";
import { anyRangeOf, boundsOf, ownZoneText, rangeOf, searchOf, titleOf } from "./time-range.ts";

test("a range survives the address", () => {
  for (const range of ["15m", "1h", "6h", "24h", "7d", "90m"]) assert.equal(searchOf(rangeOf({ range })).range, range);
  const between = { from: "2026-11-20T08:00:00Z", to: "2026-11-20T09:00:00.250Z" };
  assert.deepEqual(searchOf(rangeOf(between)), { ...between, range: undefined });
});

test("an invalid range, or one that ends before it begins, becomes the fallback", () => {
  for (const search of [
    { range: "soon" },
    { from: "yesterday", to: "now" },
    { from: "2026-11-20T09:00:00Z", to: "2026-11-20T08:00:00Z" },
    {},
  ])
    assert.deepEqual(rangeOf(search, "6h"), { kind: "last", ms: 6 * 3_600_000 });
});

test("if no range means all time, a range without an end continues until now", () => {
  const nowMs = Date.parse("2026-11-20T09:00:00Z");
  assert.deepEqual(anyRangeOf({}, nowMs), { kind: "all" });
  assert.deepEqual(anyRangeOf({ range: "6h" }, nowMs), { kind: "last", ms: 6 * 3_600_000 });
  assert.deepEqual(anyRangeOf({ from: "2026-11-01T00:00:00Z" }, nowMs), {
    kind: "between",
    from: "2026-11-01T00:00:00Z",
    to: "2026-11-20T09:00:01.000Z",
  });
});

test("the last hour ends now", () => {
  const { from, to } = boundsOf(rangeOf({ range: "1h" }), Date.parse("2026-11-20T09:00:00Z"));
  assert.equal(from, "2026-11-20T08:00:00.000Z");
  assert.equal(to, "2026-11-20T09:00:01.000Z");
});

test("titles are readable", () => {
  assert.equal(titleOf({ kind: "last", ms: 900_000 }), "Last 15 minutes");
  assert.equal(
    titleOf({ kind: "between", from: "2026-11-20T08:00:00.000Z", to: "2026-11-20T08:30:05Z" }),
    "2026-11-20 08:00 – 2026-11-20 08:30:05 UTC",
  );
  assert.match(ownZoneText("2026-11-20T08:00:00Z", "Europe/Berlin"), /09:00:00/);
});
