import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countText, durationText, plural, relativeText } from "./figures.ts";

test("bytes have three digits at most", () => {
  const pairs = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.00 KiB"],
    [15_360, "15.0 KiB"],
    [3_040_870, "2.90 MiB"],
    [500 * 1024 ** 3, "500 GiB"],
  ] as const;
  for (const [bytes, text] of pairs) assert.equal(bytesText(bytes), text);
});

test("durations have a suitable unit", () => {
  const pairs = [
    [0.42, "0.42 ms"],
    [41.4, "41 ms"],
    [2400, "2.4 s"],
    [185_000, "3 min 5 s"],
    [119_600, "2 min"],
    [900_000, "15 min"],
  ] as const;
  for (const [ms, text] of pairs) assert.equal(durationText(ms), text);
});

test("times are relative to now, past and future", () => {
  const now = new Date("2026-01-10T12:00:00Z");
  const pairs = [
    ["2026-01-10T11:59:58Z", "2 seconds ago"],
    ["2026-01-10T11:57:00Z", "3 minutes ago"],
    ["2026-01-12T12:00:00Z", "in 2 days"],
    ["2024-01-10T12:00:00Z", "2 years ago"],
  ] as const;
  for (const [at, text] of pairs) assert.equal(relativeText(new Date(at), now), text);
});

test("counts are grouped, and their noun has the right number", () => {
  assert.equal(countText(10_284_119), "10,284,119");
  assert.equal(plural(1, "entry", "entries"), "1 entry");
  assert.equal(plural(2, "entry", "entries"), "2 entries");
});
