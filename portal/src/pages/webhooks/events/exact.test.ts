import assert from "node:assert/strict";
import { test } from "node:test";
import { exactValue } from "./exact.ts";
import { jsonLines } from "./json-lines.ts";

test("numbers that a double can't hold are shown as they were sent, and can be conditions of the list", () => {
  const body = '{"snow":1234567890123456789,"price":1.5,"x":0.1234567890123456789}';
  const lines = jsonLines(exactValue(body, JSON.parse(body)), 100);
  assert.deepEqual(
    lines.map(({ text }) => text.trim()),
    ["{", '"snow": 1234567890123456789,', '"price": 1.5,', '"x": 0.1234567890123456789', "}"],
  );
  assert.equal(lines[1]?.pointer, "/snow=1234567890123456789");
});

test("text that is not JSON has no value", () => {
  assert.equal(exactValue("{", null), null);
  assert.equal(exactValue(null, null), null);
});
