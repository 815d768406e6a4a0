import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept, killRounds } from "./testing/kill.ts";
import { temporaryDirectory } from "./testing/store.ts";

const KILLS = 12;

test("after kills under load acknowledged content is complete, nothing else is linked, and nothing is left over", async (context) => {
  await using dir = await temporaryDirectory();
  const place = { dataDir: dir.path };
  const killed = await killRounds(place, KILLS);
  context.diagnostic(`${killed.kept.size} blobs kept, ${killed.ending.size} released`);
  assert.ok(killed.kept.size > 0, "nothing was acknowledged");
  await assertKept(place, killed, KILLS);
});
