/** A registry that is killed during 100 concurrent pushes: every acknowledged image can be pulled completely, and fsck finds nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { killPushes } from "../fixtures/registry-kills.ts";

for (const { kind: database, skip } of DATABASES) {
  test(`kills under 100 concurrent pushes, records in ${database}`, { timeout: 1_800_000, skip }, async (context) => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-registry-kill-"));
    try {
      const { acknowledged, cut } = await killPushes({ rounds: 6, pushes: 100, dataDir, database });
      assert.ok(acknowledged > 0 && cut > 0, `the kills must hit pushes: ${acknowledged} were complete, ${cut} cut`);
      context.diagnostic(`${acknowledged} images acknowledged, ${cut} pushes cut off`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
