import assert from "node:assert/strict";
import { test } from "node:test";
import { Compound, findInJson, jsonFaultAt } from "./json-places.ts";
import { exactJson } from "./json-text.ts";

const find = (text: string, ...path: string[]): unknown => {
  const found = findInJson(Buffer.from(text), [path], 5);
  return found === undefined ? "not JSON" : found[0];
};

test("finds texts, numbers and words at any depth, and whole objects", () => {
  const text = ' {"a": {"b": [1, "x\\u0041", {"c": null}]}, "é": true, "\\u0064": -1.5e3} ';
  assert.equal(find(text, "a", "b", "0"), 1);
  assert.equal(find(text, "a", "b", "1"), "xA");
  assert.equal(find(text, "a", "b", "2", "c"), null);
  assert.equal(find(text, "a", "b", "3"), undefined);
  assert.deepEqual(find('{"a": [1, {}] }', "a"), new Compound("[1, {}]"));
  assert.equal(find(text, "é"), true);
  assert.equal(find(text, "d"), -1500);
  assert.equal(find('"whole"'), "whole");
  assert.equal(find('"whole"', "a"), undefined);
});

test("numbers that a double can't hold keep their text", () => {
  const found = find('{"id":12345678901234567890}', "id");
  assert.ok(exactJson.isRawJSON(found));
  assert.equal(found.rawJSON, "12345678901234567890");
});

test("the last member of a repeated name counts, with its content", () => {
  assert.equal(find('{"a":1,"a":2}', "a"), 2);
  assert.equal(find('{"a":{"b":1},"a":{"c":2}}', "a", "b"), undefined);
});

test("several paths are found in one pass", () => {
  assert.deepEqual(findInJson(Buffer.from('{"b":1,"a":[2]}'), [["a", "0"], ["b"], ["c"]], 5), [2, 1, undefined]);
});

test("levels are counted", () => {
  assert.equal(find("[[[[[1]]]]]", "0", "0", "0", "0", "0"), 1);
  assert.equal(find("[[[[[[1]]]]]]"), "not JSON");
});

test("accepts exactly what JSON.parse accepts", () => {
  const tokens = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"\\n"',
    "1",
    "-",
    "0",
    ".5",
    "e1",
    "E+2",
    "true",
    "nul",
    "null",
    " ",
    '"',
    "\\",
    "\t",
    "\u0001",
    "é",
    '"\\u12"',
    '"\\ud800"',
  ];
  let sound = 0;
  const check = (text: string): void => {
    let expected = true;
    try {
      JSON.parse(text);
    } catch {
      expected = false;
    }
    assert.equal(findInJson(Buffer.from(text), [], 100) !== undefined, expected, text);
    sound += expected ? 1 : 0;
  };
  for (const a of tokens) for (const b of tokens) for (const c of tokens) check(a + b + c);
  for (let i = 0; i < 100_000; i += 1)
    check(Array.from({ length: 1 + (i % 9) }, () => tokens[Math.floor(Math.random() * tokens.length)]).join(""));
  assert.ok(sound > 500, `${sound} were JSON`);
});

test("the place of a fault is the first byte that is not allowed there", () => {
  for (const [text, at] of [
    ['{"a":1}', undefined],
    ["", 0],
    ['{"a":}', 5],
    ['{"a":tru}', 5],
    ['{"a":tr', 5],
    ['{"é":1,}', 8],
    ['{"a" 1}', 5],
    ['{"a":1 "b":2}', 7],
    ['["a\n"]', 1],
    ["[1.]", 3],
    ["[[[]]]", 2],
    ["1 2", 2],
  ] as const)
    assert.equal(jsonFaultAt(Buffer.from(text), 2), at, text);
});
