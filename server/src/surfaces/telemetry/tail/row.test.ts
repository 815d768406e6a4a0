import assert from "node:assert/strict";
import { test } from "node:test";
import { PLACE, Row } from "./row.ts";

test("attributes that the log has as text are shown as they were sent", () => {
  const attributes = '{"b":0.1234567890123456789,"1":"\\"","a":12345678901234567890}';
  const row = new Row(`{"timestamp":"2026-11-20T08:00:00Z","message":"m","attributes":${JSON.stringify(attributes)}}`);
  assert.equal(row.json(PLACE.attributes), attributes);
  assert.ok(row.shown().includes(`"attributes":${attributes},`), row.shown());
  const plain = new Row('{"message":"m","attributes":{"a": 1.10}}');
  assert.equal(plain.json(PLACE.attributes), '{"a": 1.10}');
  assert.equal(new Row('{"message":"m"}').json(PLACE.attributes), undefined);
});
