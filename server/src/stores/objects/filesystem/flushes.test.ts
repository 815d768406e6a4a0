import assert from "node:assert/strict";
import { test } from "node:test";
import { DirectoryFlushes } from "./flushes.ts";

/** Flushes that end when the test ends them. */
function held(): {
  flushes: DirectoryFlushes;
  begun: string[];
  end: (error?: Error) => Promise<void>;
} {
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const flushes = new DirectoryFlushes((path) => {
    begun.push(path);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    ends.push((error) => (error === undefined ? resolve() : reject(error)));
    return promise;
  });
  const end = async (error?: Error): Promise<void> => {
    ends.shift()?.(error);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { flushes, begun, end };
}

test("callers during a flush wait for the next one, which they share", async () => {
  const { flushes, begun, end } = held();
  const done: string[] = [];
  const ask = (name: string): Promise<void> => flushes.flush("a").then(() => void done.push(name));
  const all = [ask("first"), ask("second"), ask("third")];
  assert.deepEqual(begun, ["a"]);
  await end();
  assert.deepEqual([done, begun], [["first"], ["a", "a"]]);
  all.push(ask("fourth"));
  await end();
  assert.deepEqual(done, ["first", "second", "third"]);
  await end();
  await Promise.all(all);
  assert.deepEqual([done.at(-1), begun.length], ["fourth", 3]);
});

test("directories do not wait for each other", async () => {
  const { flushes, begun, end } = held();
  const both = [flushes.flush("a"), flushes.flush("b")];
  assert.deepEqual(begun, ["a", "b"]);
  await end();
  await end();
  await Promise.all(both);
});

test("a failure reaches the callers of that flush, and no others", async () => {
  const { flushes, end } = held();
  const outcomes = Promise.allSettled([flushes.flush("a"), flushes.flush("a"), flushes.flush("a")]);
  await end(new Error("broken"));
  await end();
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  const again = flushes.flush("a");
  await end();
  await again;
});
