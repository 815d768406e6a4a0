import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRetained, killRetentionRounds, RETENTION_EVENTS } from "../testing/kill-retention.ts";
import { temporaryDirectory } from "../testing/store.ts";

const KILLS = 4;

test(`after ${KILLS} kills during retention and erasure every other acknowledged row is there once`, async (context) => {
  await using dir = await temporaryDirectory();
  const killed = await killRetentionRounds(dir.path, KILLS);
  context.diagnostic(`${killed.acknowledged.length} batches, ${JSON.stringify([...killed.events])}`);
  for (const event of RETENTION_EVENTS) assert.ok((killed.events.get(event) ?? 0) > 0, `no kill could hit: ${event}`);
  await assertRetained(dir.path, killed, KILLS);
});
