import assert from "node:assert/strict";
import { test } from "node:test";
import { parameterNames, parametersOf, parameterText, parameterValue, readTexts } from "./parameters.ts";

test("parameters are found outside of texts and comments, each once", () => {
  assert.deepEqual(parameterNames("SELECT '$no', $a, $b_1 -- $no\n, $a, \"$no\", $1 /* $no */"), ["a", "b_1"]);
});

test("values are parsed as on the command line, and written in the same form", () => {
  for (const [text, value] of [
    ["8", 8],
    ["true", true],
    ["null", null],
    ['"8"', "8"],
    ["ann", "ann"],
    ["[1]", "[1]"],
    ["", ""],
  ] as const) {
    assert.equal(parameterValue(text), value);
    assert.equal(parameterText(value), text);
  }
  assert.deepEqual(parametersOf("SELECT $a", { a: "8" }), { a: 8 });
  assert.equal(parametersOf("SELECT 1", { a: "8" }), undefined);
  assert.deepEqual(readTexts('{"a":"1","b":2}'), { a: "1" });
  assert.deepEqual(readTexts("{"), {});
});
