import assert from "node:assert/strict";
import { test } from "node:test";
import { matcherOf } from "./events.ts";
import type { EventRow } from "./types.ts";

function fits(pointer: string, body: string): boolean | undefined {
  return matcherOf({ pointer })?.({ body: Buffer.from(body) } as unknown as EventRow);
}

test("a pointer finds members and places in lists, however their names are written", () => {
  for (const [pointer, body] of [
    ["/order/id=17", '{"order":{"id":17}}'],
    ["/order/id", '{"order":{"id":null}}'],
    ["/a/1/b=x", '{"a":[0,{"b":"x"}]}'],
    ["/a/1", '{"a":{"1":2}}'],
    ["/c=1", String.raw`{"\u0063":1}`],
    ["/a~1b/é=1", '{"a/b":{"é":1}}'],
    ['/"=1', String.raw`{"\"":1}`],
    ["/=1", '{"":1}'],
  ] as const)
    assert.equal(fits(pointer, body), true, pointer);
});

test("a pointer does not find an absent member, another value, or a body that is no JSON", () => {
  for (const [pointer, body] of [
    ["/a/9/c=1", '{"a":[{"b":1}]}'],
    ["/a/9/b=1", '{"a":[{"b":1}]}'],
    ["/order/id=18", '{"order":{"id":17}}'],
    ["/b", '{"a":"b"}'],
    ["/a", "no JSON"],
  ] as const)
    assert.equal(fits(pointer, body), false, pointer);
});
