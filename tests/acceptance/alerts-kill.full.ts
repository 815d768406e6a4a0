/** Alerts survive kills: every change of state is sent once. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killWithAlerts } from "../fixtures/alert-kills.ts";
import { DATABASES } from "../fixtures/databases.ts";

for (const { kind, skip } of DATABASES) {
  test(`forty kills while alerts change state on ${kind}`, { skip }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-alerts-"));
    try {
      const { messages, repeated } = await killWithAlerts({ rounds: 40, dataDir, database: kind });
      t.diagnostic(`${messages} messages, ${repeated} arrived more than once`);
      assert.ok(messages >= 160, `there were only ${messages} messages`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
