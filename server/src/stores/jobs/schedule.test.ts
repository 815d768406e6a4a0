import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { Schedule } from "./schedule.ts";

const HOUR_MS = 3_600_000;
const DEADLINE_MS = 10_000;

/** The schedule does not keep the process alive, so the test does. */
async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!condition()) {
    assert.ok(performance.now() < deadlineMs, "the condition did not come true");
    await delay(2);
  }
}

test("work runs at its interval, one run at a time; a failure is reported and does not end it", async () => {
  const schedule = new Schedule(systemClock);
  const failures: unknown[] = [];
  let [inside, runs] = [0, 0];
  const work = schedule.add("content", {
    everyMs: 1,
    run: async () => {
      runs += 1;
      assert.equal(++inside, 1, "two run at once");
      await delay(5);
      inside -= 1;
      if (runs === 2) throw new Error("the disk is full");
    },
    failed: (error) => failures.push((error as Error).message, schedule.list()[0]?.last?.failure),
  });
  await until(() => runs >= 4);
  await work.stop();
  assert.equal(inside, 0, "a stop waits for the run under way");
  const ran = runs;
  work.ask(0);
  assert.equal(schedule.begin("content"), true);
  await delay(20);
  assert.equal(runs, ran, "nothing runs after the stop");
  assert.deepEqual(failures, ["the disk is full", "the disk is full"], "the error, and the failure in the list");
});

test("a caller that asks for a run during one waits for that run", async () => {
  const schedule = new Schedule(systemClock);
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const run = (): Promise<void> => ((runs += 1), promise);
  const work = schedule.add("images", { everyMs: HOUR_MS, run, failed: assert.ifError });
  assert.equal(schedule.list()[0]?.runningSinceMs, null);
  assert.equal(schedule.begin("images"), true);
  assert.equal(schedule.begin("none"), false);
  const second = work.run();
  assert.ok(schedule.list()[0]?.runningSinceMs);
  resolve();
  await second;
  assert.equal(runs, 1);
  const [state] = schedule.list();
  assert.equal(state?.runningSinceMs, null);
  assert.equal(state?.last?.failure, null);
  const nextInMs = (state?.nextAtMs ?? 0) - systemClock.nowMs();
  assert.ok(nextInMs > HOUR_MS - DEADLINE_MS && nextInMs <= HOUR_MS, `${nextInMs}`);
  await work.stop();
});

test("a requested run comes before its time; a request during a run causes one more run", async () => {
  const schedule = new Schedule(systemClock);
  let runs = 0;
  const gates: (() => void)[] = [];
  const run = (): Promise<void> => ((runs += 1), new Promise((resolve) => gates.push(resolve)));
  const work = schedule.add("queue", { everyMs: HOUR_MS, run, failed: assert.ifError });
  work.ask(5);
  await until(() => gates.length === 1);
  work.ask(0);
  work.ask(0);
  await delay(20);
  assert.equal(runs, 1, "the second run does not run beside the first");
  gates[0]?.();
  await until(() => gates.length === 2);
  gates[1]?.();
  await work.stop();
  assert.equal(runs, 2, "two requests during one run cause one run");
});

test("work that runs only on request: several requests share one run", async () => {
  const schedule = new Schedule(systemClock);
  let runs = 0;
  const run = async (): Promise<void> => void (runs += 1);
  const work = schedule.add("image pulls", { everyMs: 5, run, failed: assert.ifError, onlyAsked: true });
  await delay(30);
  assert.equal(runs, 0);
  assert.equal(schedule.list()[0]?.nextAtMs, null);
  for (let i = 0; i < 3; i += 1) work.ask();
  assert.notEqual(schedule.list()[0]?.nextAtMs, null);
  await until(() => runs === 1);
  await delay(30);
  assert.equal(runs, 1);
  await work.stop();
});

test("the list has the sentence of each work, in the order of the table", async () => {
  const schedule = new Schedule(systemClock);
  const options = { everyMs: HOUR_MS, run: () => Promise.resolve(), failed: assert.ifError };
  const works = (["images", "content", "clock"] as const).map((name) => schedule.add(name, options));
  assert.deepEqual(
    schedule.list().map(({ name, on, everyMs }) => ({ name, on, everyMs })),
    ["clock", "content", "images"].map((name) => ({ name, on: "each node", everyMs: HOUR_MS })),
  );
  assert.ok(schedule.list().every(({ does }) => /^[A-Z].*\.$/.test(does)));
  await Promise.all(works.map((work) => work.stop()));
});
