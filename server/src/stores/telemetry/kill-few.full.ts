import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept, KILL_EVENTS, KILL_WRITERS, killRounds } from "./testing/kill.ts";
import { temporaryDirectory } from "./testing/store.ts";

const KILLS = 12;

test(`after ${KILLS} kills under load every acknowledged batch is there once, and none in part`, async (context) => {
  await using dir = await temporaryDirectory();
  const killed = await killRounds(dir.path, KILLS);
  context.diagnostic(`${killed.acknowledged.length} batches, ${JSON.stringify([...killed.events])}`);
  assert.ok(
    killed.acknowledged.length > KILLS * KILL_WRITERS,
    `only ${killed.acknowledged.length} batches were acknowledged`,
  );
  for (const event of KILL_EVENTS) assert.ok((killed.events.get(event) ?? 0) > 0, `no kill could hit: ${event}`);
  await assertKept(dir.path, killed, KILLS);
});
