/** Kills during 200 senders: every acknowledged event is stored once, and forwarded. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { killWithSenders } from "../fixtures/webhook-kills.ts";

for (const { kind, skip } of DATABASES) {
  test(`ten kills under 200 senders on ${kind}`, { skip }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-webhooks-"));
    try {
      const { acknowledged, repeated } = await killWithSenders({ rounds: 10, senders: 200, dataDir, database: kind });
      t.diagnostic(`${acknowledged} events were acknowledged, ${repeated} were forwarded more than once`);
      assert.ok(acknowledged >= 1000, `there were only ${acknowledged} events`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
