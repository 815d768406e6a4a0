import assert from "node:assert/strict";
import { test } from "node:test";
import { distinctNames } from "./index.ts";
import { isoFromMicros, isoFromNanos } from "./timestamps.ts";

test("timestamps agree with the platform's calendar", () => {
  const instants = [
    0, -1, 951_782_399_000, 951_782_400_000, 4_107_542_399_000, -62_167_219_200_000, 253_402_300_799_000,
    -30_610_224_000_000,
  ];
  for (let i = 0; i < 2000; i++) instants.push(Math.floor((i - 1000) * 1.7e11 + i * 7919));
  for (const ms of instants) {
    const expected = new Date(ms).toISOString().replace(".000Z", "Z");
    assert.equal(isoFromMicros(BigInt(ms) * 1000n), expected);
    assert.equal(isoFromNanos(BigInt(ms) * 1_000_000n), expected);
  }
});

test("timestamps have as many digits as they need", () => {
  assert.equal(isoFromMicros(1n), "1970-01-01T00:00:00.000001Z");
  assert.equal(isoFromMicros(120_000n), "1970-01-01T00:00:00.120Z");
  assert.equal(isoFromMicros(-1n), "1969-12-31T23:59:59.999999Z");
  assert.equal(isoFromNanos(1n), "1970-01-01T00:00:00.000000001Z");
  assert.equal(isoFromNanos(-1n), "1969-12-31T23:59:59.999999999Z");
});

test("timestamps at DuckDB's limits", () => {
  assert.equal(isoFromMicros(9_223_372_036_854_775_806n), "+294247-01-10T04:00:54.775806Z");
  assert.equal(isoFromMicros(-9_223_372_022_400_000_000n), "-290308-12-22T00:00:00Z");
  assert.equal(isoFromMicros(9_223_372_036_854_775_807n), "infinity");
  assert.equal(isoFromMicros(-9_223_372_036_854_775_807n), "-infinity");
});

test("duplicate names are made distinct", () => {
  assert.deepEqual(distinctNames(["a", "b"]), ["a", "b"]);
  assert.deepEqual(distinctNames(["a", "a", "a"]), ["a", "a_1", "a_2"]);
  assert.deepEqual(distinctNames(["a", "a", "a_1", "a_1"]), ["a", "a_2", "a_1", "a_1_1"]);
  assert.deepEqual(distinctNames(["", "", "__proto__", "__proto__"]), ["", "_1", "__proto__", "__proto___1"]);
});
