import assert from "node:assert/strict";
import { test } from "node:test";
import { frame, FrameReader } from "./frames.ts";

function collect(limit: (kind: number) => number | undefined = () => 1000): { reader: FrameReader; seen: string[] } {
  const seen: string[] = [];
  let streamed = "";
  const reader = new FrameReader({
    limit,
    streamed: (kind) => kind === 2,
    piece: (bytes) => {
      streamed += bytes.toString();
    },
    frame: (kind, payload) => {
      seen.push(`${kind}:${kind === 2 ? streamed : payload.toString()}`);
      streamed = "";
    },
  });
  return { reader, seen };
}

test("frames arrive complete, wherever the stream is cut", () => {
  const bytes = Buffer.concat([frame(1, "one"), frame(2, "streamed"), frame(1), frame(2), frame(3, "é")]);
  for (let size = 1; size <= bytes.length; size++) {
    const { reader, seen } = collect();
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    assert.deepEqual(seen, ["1:one", "2:streamed", "1:", "2:", "3:é"]);
    assert.ok(reader.atBoundary);
  }
});

test("the end of the stream inside a frame is reported", () => {
  for (const bytes of [
    frame(1, "abc").subarray(0, 3),
    frame(1, "abc").subarray(0, 7),
    frame(2, "abc").subarray(0, 5),
  ]) {
    const { reader } = collect();
    reader.push(bytes);
    assert.ok(!reader.atBoundary);
  }
});

test("a frame at the limit is read, one byte more is refused", () => {
  const { reader, seen } = collect(() => 3);
  reader.push(frame(1, "abc"));
  assert.deepEqual(seen, ["1:abc"]);
  assert.throws(() => {
    reader.push(frame(1, "abcd"));
  }, /4 bytes are more than 3/);
});

test("an unexpected kind is refused", () => {
  const { reader } = collect((kind) => (kind === 1 ? 10 : undefined));
  assert.throws(() => {
    reader.push(frame(9, "x"));
  }, /kind 9 is not expected/);
});
