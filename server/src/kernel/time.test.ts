import assert from "node:assert/strict";
import { test } from "node:test";
import { isDateTime, isoFromMs, isoWithMicros, momentOf, msFromIso, usFromIso } from "./time.ts";

/** For each moment, its forms in ISO 8601 and RFC 3339. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  "2026-11-23T02:00:00.000000Z": [
    "2026-11-23T02:00:00Z",
    "2026-11-23T02:00Z",
    "2026-11-23T02Z",
    "20261123T020000Z",
    "20261123T0200Z",
    "20261123T02Z",
    "2026-11-23t02:00:00z",
    "2026-11-23T02:00:00-00:00",
    "2026-11-23T02:00:00+00",
    "2026-11-23T02:00:00+0000",
    "2026-11-23T03:30:00+01:30",
    "20261122T1900-0700",
    "2026-11-22T19:00:00\u221207:00",
    "2026-W48-1T02:00:00Z",
    "2026W481T020000Z",
    "2026-327T02:00Z",
    "2026327T0200Z",
  ],
  "2026-11-23T02:00:00.123456Z": [
    "2026-11-23T02:00:00.123456Z",
    "2026-11-23T02:00:00,123456789Z",
    "20261123T020000.1234567890123456789Z",
  ],
  "2026-11-23T02:30:00.000000Z": ["2026-11-23T02.5Z", "2026-11-23T02,50Z"],
  "2026-11-23T02:00:30.000000Z": ["2026-11-23T02:00.5Z", "20261123T0200,5Z"],
  "2026-11-24T00:00:00.000000Z": ["2026-11-23T24:00Z", "2026-11-23T24:00:00.0Z"],
  "2017-01-01T00:00:00.000000Z": ["2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00", "20161231T235960Z"],
  "2017-01-01T00:00:00.500000Z": ["2016-12-31T22:59:60.5-01:00"],
  "2024-02-29T00:00:00.000000Z": ["2024-060T00Z"],
  "2024-12-31T00:00:00.000000Z": ["2024-366T00:00Z", "2025-W01-2T00Z"],
  "2021-01-03T00:00:00.000000Z": ["2020-W53-7T00Z"],
  "0001-01-01T00:00:00.000000Z": ["0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00"],
  "0099-03-01T00:00:00.000000Z": ["0099-03-01T00:00Z"],
  "1969-12-31T23:59:59.999999Z": ["1969-12-31T23:59:59.999999999Z"],
  "9999-12-31T23:59:59.999999Z": ["9999-12-31T23:59:59.999999999Z"],
};

const REFUSED: readonly string[] = [
  "",
  "now",
  "2026-11-23",
  "2026-11-23T02:00:00",
  "2026-11-23 02:00:00Z",
  "2026-1-23T02:00:00Z",
  "2026-11-23T2:00:00Z",
  "2026-11-23T02:00:00.Z",
  "2026-11-23T02:60:00Z",
  "2026-11-23T02:00:60Z",
  "2016-12-31T23:59:61Z",
  "2016-12-31T23:59:60+01:00",
  "2026-11-23T24:00:01Z",
  "2026-11-23T25:00Z",
  "2026-11-31T02:00Z",
  "2026-02-29T02:00Z",
  "2026-00-10T02:00Z",
  "2026-366T02:00Z",
  "2026-000T02:00Z",
  "2026-W54-1T02:00Z",
  "2021-W53-1T02:00Z",
  "2026-W00-1T02:00Z",
  "2026-W10-8T02:00Z",
  "2026-11-23T02:00:00+24:00",
  "2026-11-23T02:00:00+01:60",
  "2026-11-23T02:00:00Z\n",
  " 2026-11-23T02:00:00Z",
  "0000-12-31T00:00:00Z",
  "0001-01-01T00:00:00+00:01",
  "9999-12-31T23:59:60Z",
  "+12026-11-23T02:00:00Z",
  "２026-11-23T02:00:00Z",
  "1763625600",
  `2026-11-23T02:00:00.${"1".repeat(60)}Z`,
];

test("every form of a date-time with its offset is read as its moment", () => {
  for (const [iso, texts] of Object.entries(TAKEN)) {
    for (const text of texts) {
      assert.equal(isoWithMicros(text), iso, text);
      assert.equal(isoFromMs(msFromIso(text)), `${iso.slice(0, 23)}Z`, text);
      assert.ok(isDateTime(text), text);
    }
  }
});

test("other text has no moment", () => {
  for (const text of REFUSED) {
    assert.equal(momentOf(text), undefined, JSON.stringify(text));
    assert.equal(isoWithMicros(text), undefined);
    assert.ok(Number.isNaN(msFromIso(text)) && Number.isNaN(usFromIso(text)));
  }
});

test("only days of the calendar are accepted, and none is read as another", () => {
  for (let at = Date.UTC(2023, 0, 1); at < Date.UTC(2029, 0, 1); at += 86_400_000) {
    const iso = isoFromMs(at);
    const day = new Date(at);
    const ordinal = Math.round((at - Date.UTC(day.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
    assert.equal(msFromIso(iso), at);
    assert.equal(msFromIso(`${iso.slice(0, 4)}${String(ordinal).padStart(3, "0")}T00Z`), at, iso);
  }
});

test("nanoseconds are rounded as the caller asks", () => {
  const text = "2026-11-20T00:00:00.000001001Z";
  assert.equal(usFromIso(text) % 1_000_000, 1);
  assert.equal(usFromIso(text, Math.ceil) % 1_000_000, 2);
  assert.equal(usFromIso("2026-11-20T00:00:00.999999999Z", Math.ceil) % 1_000_000, 0);
});
