import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Turns, type Lane } from "./turns.ts";

const ONE: Lane = { name: "192.0.2.1", isKnown: false };

/** Work that runs until the test ends it. */
function work(): { readonly run: () => Promise<string>; end(): void; began: boolean } {
  let end = (): void => undefined;
  const it = {
    began: false,
    run: () => {
      it.began = true;
      return new Promise<string>((resolve) => (end = () => resolve("done")));
    },
    end: () => end(),
  };
  return it;
}

/** Waits until all work that does not wait for something else has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("two passwords are hashed at a time, the others in order of their arrival", async () => {
  const turns = new Turns(2, 10_000);
  const all = [work(), work(), work(), work()];
  const done = all.map(({ run }) => turns.run(ONE, run));
  await settled();
  assert.deepEqual(
    all.map(({ began }) => began),
    [true, true, false, false],
  );
  for (const [index, each] of all.entries()) {
    each.end();
    assert.equal(await done[index], "done");
    await settled();
  }
  assert.ok(all.every(({ began }) => began));
});

test("a failure frees its turn", async () => {
  const turns = new Turns(2, 10_000);
  const failing = () => turns.run(ONE, () => Promise.reject(new Error("cannot hash")));
  for (let i = 0; i < 5; i++) await assert.rejects(failing(), /cannot hash/);
});

test("a caller that has waited ten seconds must retry, and takes no turn", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const turns = new Turns(2, 10_000);
    const [one, other, late] = [work(), work(), work()];
    const running = [turns.run(ONE, one.run), turns.run(ONE, other.run)];
    const refused = assert.rejects(turns.run(ONE, late.run), (error: { code?: string; options?: object }) => {
      assert.equal(error.code, "unavailable");
      assert.deepEqual(error.options, { retryAfterS: 10 });
      return true;
    });
    mock.timers.tick(10_000);
    await refused;
    one.end();
    other.end();
    await Promise.all(running);
    assert.equal(late.began, false);
    const next = work();
    const done = turns.run(ONE, next.run);
    assert.ok(next.began, "the turns are free again");
    next.end();
    await done;
  } finally {
    mock.timers.reset();
  }
});

test("a busy lane keeps no other lane waiting: lanes take turns, and known browsers come first", async () => {
  const turns = new Turns(1, 10_000);
  const order: string[] = [];
  const wait = (name: string, lane: Lane): Promise<void> =>
    turns.run(lane, async () => {
      order.push(name);
      await settled();
    });
  const flood = Array.from({ length: 20 }, (_, i) => wait(`flood ${i}`, ONE));
  const others = [
    wait("other", { name: "192.0.2.2", isKnown: false }),
    wait("known", { name: "device 1", isKnown: true }),
    wait("other again", { name: "192.0.2.2", isKnown: false }),
  ];
  await Promise.all([...flood, ...others]);
  assert.deepEqual(order.slice(0, 6), ["flood 0", "known", "flood 1", "other", "flood 2", "other again"]);
  assert.equal(order.length, 23);
});
