import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "#kernel/problem.ts";
import { rangeOf } from "./range.ts";

const DAY_US = Date.UTC(2026, 10, 20) * 1000;

test("from and to are read to the microsecond", () => {
  assert.deepEqual(rangeOf({}), { fromUs: undefined, toUs: undefined });
  const cases: readonly (readonly [string, number])[] = [
    ["2026-11-20T00:00:00Z", 0],
    ["2026-11-20T00:00:00+00:00", 0],
    ["2026-11-20T01:00:00+01:00", 0],
    ["20261120T0000Z", 0],
    ["2026-11-20T00:00:00.5Z", 500_000],
    ["2026-11-20T00:00:00.000001Z", 1],
    ["2026-11-20T00:00:00.000001000Z", 1],
    ["2026-11-20T00:00:00.000001001Z", 2],
    ["2026-11-20T00:00:00.999999999Z", 1_000_000],
  ];
  for (const [text, us] of cases) assert.equal(rangeOf({ from: text }).fromUs, DAY_US + us, text);
});

test("an invalid range is refused with a pointer", () => {
  const at = "2026-11-20T00:00:00Z";
  const cases: readonly (readonly [{ from?: string; to?: string }, string])[] = [
    [{ from: at, to: at }, "/to"],
    [{ from: at, to: "2026-11-19T23:59:59.999999Z" }, "/to"],
    [{ to: "2300-01-01T00:00:00Z" }, "/to"],
    [{ from: "1600-01-01T00:00:00Z" }, "/from"],
  ];
  for (const [range, pointer] of cases) {
    assert.throws(
      () => rangeOf(range),
      (error: Problem) => {
        assert.equal(error.code, "invalid_body");
        return error.options.errors?.[0]?.pointer === pointer;
      },
      JSON.stringify(range),
    );
  }
  rangeOf({ from: at, to: "2026-11-20T00:00:00.000001Z" });
});
