import assert from "node:assert/strict";
import { test } from "node:test";
import { isoFromMs, msFromIso } from "./time.ts";

test("every date-time is a moment, a leap second too", () => {
  const moments = {
    "2026-11-20T08:00:00Z": "2026-11-20T08:00:00.000Z",
    "2026-11-20t08:00:00.123456789z": "2026-11-20T08:00:00.123Z",
    "2026-11-20T08:00:00-01:30": "2026-11-20T09:30:00.000Z",
    "2016-12-31T23:59:60Z": "2017-01-01T00:00:00.000Z",
    "2016-12-31T22:59:60.5-01:00": "2017-01-01T00:00:00.500Z",
  };
  for (const [text, iso] of Object.entries(moments)) assert.equal(isoFromMs(msFromIso(text)), iso, text);
});
