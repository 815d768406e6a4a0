import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRetained, killRetentionRounds, RETENTION_EVENTS } from "../testing/kill-retention.ts";
import { temporaryDirectory } from "../testing/store.ts";

const STORES = 5;
const KILLS_EACH = 20;

test(`${STORES * KILLS_EACH} kills at random moments of ingest, compaction, merging, retention and erasure`, async (context) => {
  const events = new Map<string, number>();
  for (let store = 0; store < STORES; store++) {
    await using dir = await temporaryDirectory();
    const killed = await killRetentionRounds(dir.path, KILLS_EACH);
    await assertRetained(dir.path, killed, KILLS_EACH);
    context.diagnostic(`${killed.acknowledged.length} batches, ${JSON.stringify([...killed.events])}`);
    for (const [event, count] of killed.events) events.set(event, count + (events.get(event) ?? 0));
  }
  for (const event of RETENTION_EVENTS)
    assert.ok((events.get(event) ?? 0) >= KILLS_EACH, `${events.get(event) ?? 0} times only: ${event}`);
});
