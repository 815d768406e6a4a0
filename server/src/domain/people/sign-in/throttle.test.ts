import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { Throttle } from "./throttle.ts";

/** Work that ends when it is told to. */
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

/** Lets everything go on that waits for nothing. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("two passwords are hashed at one time, the others in the order in which they came", async () => {
  const throttle = new Throttle(systemClock);
  const all = [work(), work(), work(), work()];
  const done = all.map(({ run }) => throttle.hash(run));
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

test("a failure gives its turn on", async () => {
  const throttle = new Throttle(systemClock);
  const failing = () => throttle.hash(() => Promise.reject(new Error("cannot hash")));
  for (let i = 0; i < 5; i++) await assert.rejects(failing(), /cannot hash/);
});

test("whoever has waited ten seconds is told to come again, and takes no turn", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const throttle = new Throttle(systemClock);
    const [one, other, late] = [work(), work(), work()];
    const running = [throttle.hash(one.run), throttle.hash(other.run)];
    const refused = assert.rejects(
      throttle.hash(late.run),
      (error: { code?: string; options?: { headers?: object } }) => {
        assert.equal(error.code, "unavailable");
        assert.deepEqual(error.options?.headers, { "retry-after": "10" });
        return true;
      },
    );
    mock.timers.tick(10_000);
    await refused;
    one.end();
    other.end();
    await Promise.all(running);
    assert.equal(late.began, false);
    const next = work();
    const done = throttle.hash(next.run);
    assert.ok(next.began, "the turns came back");
    next.end();
    await done;
  } finally {
    mock.timers.reset();
  }
});
