import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atIntervals } from "./periodic.ts";

test("runs one at a time, tells what fails and goes on, and a stop waits for what is under way", async () => {
  let inside = 0;
  let runs = 0;
  const failures: unknown[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    runs += 1;
    inside += 1;
    assert.equal(inside, 1, "two run at once");
    await delay(20);
    inside -= 1;
    if (runs === 2) throw new Error("the second");
    if (runs === 3) resolve();
  };
  const stop = atIntervals(1, work, (error) => failures.push(error));
  const alive = setInterval(() => undefined, 1000);
  await enough;
  await stop();
  clearInterval(alive);
  assert.equal(inside, 0);
  const ran = runs;
  await delay(30);
  assert.equal(runs, ran, "nothing runs after the stop");
  assert.deepEqual(
    failures.map((error) => (error as Error).message),
    ["the second"],
  );
});
