/** A server that is killed under senders: every 202 is an event once, and destinations get every event. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { killWithSenders } from "../fixtures/webhook-kills.ts";

test("two kills under forty senders", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-webhooks-"));
  try {
    const { acknowledged, repeated } = await killWithSenders({ rounds: 2, senders: 40, dataDir, database: CHOSEN });
    t.diagnostic(`${acknowledged} events were acknowledged, ${repeated} were handed on more than once`);
    assert.ok(acknowledged >= 200, `there were only ${acknowledged} events`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
