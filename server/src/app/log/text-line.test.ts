import assert from "node:assert/strict";
import { test } from "node:test";
import { textLine } from "./text-line.ts";

const TIME = "2026-11-24T08:00:00.123Z";

function line(fields: object): string {
  return textLine(`${JSON.stringify({ level: "info", time: TIME, ...fields })}\n`);
}

test("time, level and message come first, then the fields", () => {
  assert.equal(
    line({ request_id: "r1", status: 200, msg: "request answered", list: ["a b"], none: null }),
    `${TIME} info  request answered request_id=r1 status=200 list="[\\"a b\\"]" none=null\n`,
  );
  assert.equal(line({ level: "error", msg: "m" }), `${TIME} error m\n`);
});

test("an event is one line, and no field can pretend to be another or control the terminal", () => {
  const text = line({ msg: "a\nb\u001b[2J", "x=1\n": "c\r\nd", path: "a b=c", empty: "", bidi: "\u202e" });
  assert.equal(text, `${TIME} info  a\\nb\\u001b[2J "x=1\\n"="c\\r\\nd" path="a b=c" empty="" bidi="\\u202e"\n`);
});

test("an error has its type, message and fields; errors also have the stack", () => {
  const err = {
    type: "Problem",
    message: "it broke",
    stack: "Problem: it broke\n    at f (x.ts:1:2)\n    at y.ts:3",
    code: "E",
  };
  assert.equal(line({ level: "warn", msg: "m", err }), `${TIME} warn  m err="Problem: it broke" err.code=E\n`);
  assert.equal(
    line({ level: "error", msg: "m", err }),
    `${TIME} error m err="Problem: it broke" err.code=E stack="f (x.ts:1:2) < y.ts:3"\n`,
  );
});

test("a line that is not a JSON object stays unchanged", () => assert.equal(textLine("plain\n"), "plain\n"));
