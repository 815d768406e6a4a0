/** The same with 1,000 concurrent uploads. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { killUploads } from "../fixtures/file-kills.ts";

test("20 kills under 1,000 concurrent uploads", { timeout: 1_800_000 }, async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-files-kill-"));
  try {
    const { acknowledged, cut } = await killUploads({ rounds: 20, uploads: 1000, dataDir, database: CHOSEN });
    assert.ok(
      acknowledged > 0 && cut > 0,
      `the kills must fall into uploads: ${acknowledged} acknowledged, ${cut} cut`,
    );
    context.diagnostic(`${acknowledged} files acknowledged, ${cut} uploads cut off`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
