import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { linesOf, type Line } from "./lines.ts";

/** Yields chunks of one size, so that they cut lines, characters and line ends anywhere. */
async function* chunks(text: string, size: number): AsyncGenerator<Buffer, void, void> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function read(text: string, size: number, lineBytesMax = 1000): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of linesOf(chunks(text, size), { lineBytesMax })) lines.push(...some);
  return lines;
}

const TEXT = "eins\r\nzwei – drei\n\n🚢 vier";

describe("lines of a stream", () => {
  for (const size of [1, 2, 3, 5, 7, 1000]) {
    test(`chunks of ${size} bytes`, async () => {
      const lines = await read(TEXT, size);
      assert.deepEqual(
        lines.map((line) => line.text),
        ["eins", "zwei – drei", "", "🚢 vier"],
      );
      assert.deepEqual(
        lines.map((line) => line.number),
        [1, 2, 3, 4],
      );
    });
  }

  test("a newline at the end does not begin another line", async () =>
    assert.equal((await read("a\nb\n", 100)).length, 2));
  test("an empty input has no lines", async () => assert.deepEqual(await read("", 100), []));

  test("a line at the limit is complete, a longer one is cut, and the next line is unchanged", async () => {
    for (const size of [1, 4, 100]) {
      assert.deepEqual(await read("12345678\nx\n", size, 8), [
        { text: "12345678", number: 1, cut: false },
        { text: "x", number: 2, cut: false },
      ]);
      assert.deepEqual(await read("123456789\nx\n", size, 8), [
        { text: "12345678", number: 1, cut: true },
        { text: "x", number: 2, cut: false },
      ]);
    }
  });

  test("a stream without newlines does not grow in memory", async () => {
    const before = bytesInBuffers();
    let growth = 0;
    async function* endless(): AsyncGenerator<Buffer, void, void> {
      for (let i = 1; i <= 2000; i++) {
        yield Buffer.alloc(65_536, 97);
        if (i % 500 === 0) growth = Math.max(growth, bytesInBuffers() - before);
      }
    }
    let last: Line | undefined;
    for await (const lines of linesOf(endless(), { lineBytesMax: 1000 })) last = lines.at(-1);
    assert.equal(last?.cut, true);
    assert.equal(last?.text.length, 1000);
    assert.ok(growth < 64 * 1024 * 1024, `${growth} bytes`);
  });
});

/** Returns the bytes of buffers in use, without those that wait for the garbage collector. */
function bytesInBuffers(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}
