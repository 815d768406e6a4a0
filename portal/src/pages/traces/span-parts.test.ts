import assert from "node:assert/strict";
import { test } from "node:test";
import { attributesOf, eventsOf } from "./span-parts.ts";

test("attributes are texts by name, without those shown elsewhere", () => {
  assert.deepEqual(attributesOf({ attributes: { b: 2, a: "x", "status.message": "no", events: "[]" } }), [
    ["a", "x"],
    ["b", "2"],
  ]);
});

test("events come as JSON text, with a time in nanoseconds or as text", () => {
  const events = JSON.stringify([
    { name: "exception", timeUnixNano: "1500000000000000000", attributes: { type: "E" } },
    { timestamp: "2026-01-01T00:00:00Z" },
    7,
  ]);
  assert.deepEqual(eventsOf({ attributes: { events } }), [
    { name: "exception", atMs: 1_500_000_000_000, attributes: [["type", "E"]] },
    { name: "event", atMs: Date.parse("2026-01-01T00:00:00Z"), attributes: [] },
  ]);
  assert.deepEqual(eventsOf({ attributes: { events: "{broken" } }), []);
  assert.deepEqual(eventsOf({ attributes: {} }), []);
});
