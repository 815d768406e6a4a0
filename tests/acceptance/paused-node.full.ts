/** A node that stops in the middle of a transaction (SIGSTOP) damages nothing, and delays the others only for a while. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { pauseInMidWrite, type Paused } from "../fixtures/paused-node.ts";

const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? false;
/** Two cores run two nodes, PostgreSQL and the writers. The test measures the wait, not the machine. */
const MARGIN_MS = 1_500;

function told({ credentials, events, refused, slowestMs, missed }: Paused): string {
  return `${credentials} credentials, ${events} events, ${refused} times 503 from the other node, the slowest answer after ${Math.round(slowestMs)} ms; ${missed} stops met no transaction`;
}

test("three pauses of 45 s with the default limits", { skip }, async (t) => {
  const paused = await pauseInMidWrite({ count: 3, lengthMs: 45_000, answerMsMax: 5_000 + MARGIN_MS });
  t.diagnostic(told(paused));
  assert.ok(paused.credentials > 100 && paused.events > 100);
});

test("a hundred pauses of 4.5 s with every limit divided by ten", { skip }, async (t) => {
  const paused = await pauseInMidWrite({ count: 100, lengthMs: 4_500, waitMs: 500, answerMsMax: 500 + MARGIN_MS });
  t.diagnostic(told(paused));
  assert.ok(paused.credentials > 1_000 && paused.events > 1_000);
});
