/** A server that has nothing to do leaves the processor alone. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { useServer } from "../fixtures/server.ts";
import { sleepsOf, sleptBetween } from "../fixtures/wake-ups.ts";

const LOOK_S = 60;
const WAKE_UPS_PER_SECOND_MAX = 100;

const shared = useServer({ database: "sqlite" });

test(`all threads of the main process wake up less than ${WAKE_UPS_PER_SECOND_MAX} times a second at rest`, async (t) => {
  const { pid } = shared.server;
  const before = sleepsOf(pid);
  if (before === undefined) return t.skip("this system does not tell how often a process wakes up");
  await delay(LOOK_S * 1000); // the figure is of so long a time; there is no condition to wait for
  const slept = sleptBetween(before, sleepsOf(pid) ?? assert.fail("the server is gone"));
  assert.ok(slept.length > 1, "a server has several threads");
  const perSecond = slept.reduce((sum, { count }) => sum + count, 0) / LOOK_S;
  for (const { thread, count } of slept.slice(0, 4)) t.diagnostic(`${thread}: ${(count / LOOK_S).toFixed(1)} a second`);
  t.diagnostic(`all: ${perSecond.toFixed(1)} a second`);
  assert.ok(perSecond > 0, "nothing was counted");
  assert.ok(perSecond < WAKE_UPS_PER_SECOND_MAX, `${perSecond.toFixed(1)} a second`);
});
