import assert from "node:assert/strict";
import { test } from "node:test";
import { compress } from "snappyjs";
import { varint } from "../testing/protobuf.ts";
import { snappyHead, unsnapped } from "./snappy.ts";

const TEXT = Buffer.from("a text that repeats, a text that repeats, ".repeat(200));

test("blocks of every size come back", () => {
  for (const content of [Buffer.alloc(0), Buffer.from("x"), TEXT, Buffer.alloc(200_000, "long"), randomLike(70_000)]) {
    assert.deepEqual(unsnapped(compress(content)), content);
    assert.equal(snappyHead(compress(content))?.bytes, content.length);
  }
});

test("lengths, offsets and literals that lie are refused, and a length of 4 GiB takes no memory", () => {
  const whole = compress(TEXT);
  const { at = 0 } = snappyHead(whole) ?? {};
  const lies: Readonly<Record<string, Buffer>> = {
    "no length": Buffer.from([0xff, 0xff]),
    "more than the content": Buffer.concat([varint(TEXT.length + 1), whole.subarray(at)]),
    "less than the content": Buffer.concat([varint(TEXT.length - 1), whole.subarray(at)]),
    "4 GiB": Buffer.concat([varint(2 ** 32 - 1), whole.subarray(at)]),
    "cut off": whole.subarray(0, -1),
    "a literal beyond the end": Buffer.from([4, 3 << 2, 1]),
    // The library would read this literal as a step back of five bytes, and never end.
    "a literal of 4 GiB": Buffer.from([4, 63 << 2, 0xfa, 0xff, 0xff, 0xff, 1, 1, 1, 1]),
    "a copy before the start": Buffer.from([4, 0, 65, (1 << 2) | 2, 9, 0]),
    "a copy of offset 0": Buffer.from([5, 0, 65, 1, 0]),
    "an offset beyond the end": Buffer.from([5, 0, 65, 2]),
  };
  for (const [name, body] of Object.entries(lies)) assert.throws(() => unsnapped(body), Error, name);
});

/** Bytes without repeats, so that they stay literals. */
function randomLike(bytes: number): Buffer {
  let state = 1;
  return Buffer.from(Uint8Array.from({ length: bytes }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
}
