import assert from "node:assert/strict";
import { test } from "node:test";
import { normalTimestamp } from "./timestamp.ts";

const TAKEN: readonly (readonly [string, string])[] = [
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000000Z"],
  ["2026-11-20T08:00:00+00:00", "2026-11-20T08:00:00.000000Z"],
  ["2026-11-20T08:00:00.1Z", "2026-11-20T08:00:00.100000Z"],
  ["2026-11-20T08:00:00.12+00:00", "2026-11-20T08:00:00.120000Z"],
  ["2026-11-20T08:00:00.123Z", "2026-11-20T08:00:00.123000Z"],
  ["2026-11-20T08:00:00.12345Z", "2026-11-20T08:00:00.123450Z"],
  ["2026-11-20T08:00:00.123456Z", "2026-11-20T08:00:00.123456Z"],
  ["2026-11-20T08:00:00.1234567Z", "2026-11-20T08:00:00.123456Z"],
  ["2026-11-20T08:00:00.123456999Z", "2026-11-20T08:00:00.123456Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"],
  ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"],
  ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z"],
];

const REFUSED: readonly string[] = [
  "",
  "Z",
  "now",
  "2026-11-20",
  "2026-11-20T08:00Z",
  "2026-11-20T08:00:00",
  "2026-11-20 08:00:00Z",
  "2026-11-20t08:00:00Z",
  "2026-11-20T08:00:00z",
  "2026-11-20T08:00:00+01:00",
  "2026-11-20T08:00:00-00:00",
  "2026-11-20T08:00:00+0000",
  "2026-11-20T08:00:00.Z",
  "2026-11-20T08:00:00,1Z",
  "2026-11-20T08:00:00.1234567890Z",
  "2026-11-20T08:00:00.12x4Z",
  "2026-11-20T08:00:00 Z",
  "0000-01-01T00:00:00Z",
  "+12026-11-20T08:00:00Z",
  "2026-00-20T08:00:00Z",
  "2026-13-20T08:00:00Z",
  "2026-11-00T08:00:00Z",
  "2026-11-31T08:00:00Z",
  "2026-02-29T08:00:00Z",
  "1900-02-29T08:00:00Z",
  "2026-11-20T24:00:00Z",
  "2026-11-20T08:60:00Z",
  "2026-11-20T08:00:60Z",
  "2026-11-20T08:00:0xZ",
  "２026-11-20T08:00:00Z",
  "2026-11-20T08:00:00Z\n",
  "1763625600",
];

test("date-times in UTC are taken to the nanosecond and kept to the microsecond", () => {
  for (const [sent, kept] of TAKEN) assert.equal(normalTimestamp(sent), kept, sent);
});

test("anything else is refused", () => {
  for (const sent of REFUSED) assert.equal(normalTimestamp(sent), undefined, sent);
});

test("a day exists here exactly when the calendar has it", () => {
  for (let day = 0; day <= 32; day++) {
    for (let month = 0; month <= 13; month++) {
      for (const year of [1900, 2000, 2023, 2024]) {
        const date = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
        const real = new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(date);
        assert.equal(normalTimestamp(`${date}T00:00:00Z`) !== undefined, real, date);
      }
    }
  }
});
