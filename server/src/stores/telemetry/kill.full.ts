import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept, KILL_EVENTS, killRounds, type Killed } from "./testing/kill.ts";
import { temporaryDirectory } from "./testing/store.ts";

const STORES = 4;
const KILLS_EACH = 25;

// Several stores, one after the other: the end of each store shows damage that a later start would repair by accident.
test(`${STORES * KILLS_EACH} kills at random moments of ingest, sealing, compaction and merging`, async (context) => {
  const events = new Map<string, number>();
  for (let store = 0; store < STORES; store++) {
    await using dir = await temporaryDirectory();
    const killed: Killed = await killRounds(dir.path, KILLS_EACH);
    await assertKept(dir.path, killed, KILLS_EACH);
    context.diagnostic(`${killed.acknowledged.length} batches, ${JSON.stringify([...killed.events])}`);
    for (const [event, count] of killed.events) events.set(event, count + (events.get(event) ?? 0));
  }
  for (const event of KILL_EVENTS)
    assert.ok((events.get(event) ?? 0) >= KILLS_EACH, `${events.get(event) ?? 0} times only: ${event}`);
});
