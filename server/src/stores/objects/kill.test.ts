import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept, killRounds } from "./testing/kill.ts";
import { temporaryDirectory } from "./testing/store.ts";

const KILLS = 12;

test(`after ${KILLS} kills under load everything acknowledged is whole, nothing else is linked, and nothing is left over`, async (context) => {
  await using dir = await temporaryDirectory();
  const killed = await killRounds(dir.path, KILLS);
  context.diagnostic(`${killed.kept.size} things kept, ${killed.ending.size} let go of`);
  assert.ok(killed.kept.size > KILLS, `only ${killed.kept.size} things were acknowledged`);
  await assertKept(dir.path, killed, KILLS);
});
