import assert from "node:assert/strict";
import { getPriority, setPriority } from "node:os";
import { test } from "node:test";
import { openTestEngine, rows } from "./testing/harness.ts";

const NICER = 15;

test("a server that was started with a low priority answers queries", async () => {
  // Only lower, because raising it again needs a privilege. This test file has a separate process.
  if (getPriority() < NICER) setPriority(NICER);
  const open = await openTestEngine({});
  assert.deepEqual(await rows(open.engine, "SELECT 1 AS one"), [[1]]);
  await open.close();
});
