import assert from "node:assert/strict";
import { test } from "node:test";
import { exactJson, isDeeperThan, isRoundedInteger, jsonMembersOf, parseExact } from "./json-text.ts";

test("numbers that a double holds are numbers, others keep their text", () => {
  const held = ["0", "-0", "1.10", "1e5", "1E+2", "0.1", "123456789012345", "9007199254740992", "0.30000000000000004"];
  const more = [
    "1.50000000000000000000",
    "100000000000000000000",
    "1e300",
    "5e-324",
    "1e23",
    "9223372036854776000",
    "12345678901234560000e-4",
  ];
  for (const text of [...held, ...more]) assert.equal(typeof parseExact(text), "number", text);
  const lost = ["9007199254740993", "1234567890123456789", "0.1234567890123456789", "1e400", "-1e400", "1e-400"];
  for (const text of [...lost, "123456789012345678901234567890.5", "1e99999999999999999999"]) {
    const value = parseExact(`[${text}]`) as unknown[];
    assert.ok(exactJson.isRawJSON(value[0]), text);
    assert.equal(JSON.stringify(value), `[${text}]`);
  }
});

test("a whole number counts as rounded if its text differs from the double's value and from its usual form", () => {
  const isRounded = (text: string): boolean => isRoundedInteger(text, Number(text));
  for (const text of ["9007199254740993", "-9007199254740993", "90071992547409930001e2", "1234567890123456789"])
    assert.equal(isRounded(text), true, text);
  for (const text of [
    "9007199254740992",
    "9223372036854775808",
    "9223372036854776000",
    "1e23",
    "0.1234567890123456789",
  ])
    assert.equal(isRounded(text), false, text);
});

test("the depth of text counts brackets that are not in strings", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  assert.equal(isDeeperThan(nested(100), 100), false);
  assert.equal(isDeeperThan(nested(101), 100), true);
  assert.equal(isDeeperThan(`["${"[".repeat(200)}\\"${"{".repeat(200)}\\\\"]`, 100), false);
  assert.equal(isDeeperThan(`[${"{},".repeat(200)}[]]`, 2), false);
});

test("a number of a million digits is read quickly", () => {
  for (const text of [
    `1${"0".repeat(1e6)}1`,
    `0.${"0".repeat(1e6)}1`,
    `1e${"9".repeat(1e6)}`,
    `0.${"10".repeat(5e5)}`,
  ]) {
    const start = process.cpuUsage();
    parseExact(`[${text}]`);
    assert.ok(process.cpuUsage(start).user < 2e6, text.slice(0, 5));
  }
});

test("the members of an object are found with their places, repeated ones and those with escapes, too", () => {
  const text = ' {"a":[1,{"b":":,}"}] ,\n"\\u0061" : "x\\"" , "c":{}}';
  assert.deepEqual(jsonMembersOf(text), [
    { name: "a", nameAt: 2, value: '[1,{"b":":,}"}]', valueAt: 6 },
    { name: "a", nameAt: 24, value: '"x\\""', valueAt: 35 },
    { name: "c", nameAt: 43, value: "{}", valueAt: 47 },
  ]);
  assert.deepEqual(jsonMembersOf("{ }"), []);
});
