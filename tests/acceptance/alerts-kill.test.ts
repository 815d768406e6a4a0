/** Alerts outlive kills: every change of state is told, once. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killWithAlerts } from "../fixtures/alert-kills.ts";
import { CHOSEN } from "../fixtures/databases.ts";

test("two kills while alerts change state: each change is told under one id, and none is lost", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-alerts-"));
  try {
    const { messages, repeated } = await killWithAlerts({ rounds: 2, dataDir, database: CHOSEN });
    t.diagnostic(`${messages} messages, ${repeated} came more than once`);
    assert.ok(messages >= 8, `there were only ${messages} messages`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
