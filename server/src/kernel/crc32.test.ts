import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { crc32Joined } from "./crc32.ts";

test("the checksum of two texts equals that of their concatenation", () => {
  for (const [a, b] of [
    [0, 0],
    [0, 5],
    [5, 0],
    [1, 1],
    [300, 70_001],
    [24, 1_048_577],
  ] as const) {
    const [first, second] = [randomBytes(a), randomBytes(b)];
    assert.equal(crc32Joined(crc32(first), crc32(second), b), crc32(Buffer.concat([first, second])), `${a} and ${b}`);
  }
});
