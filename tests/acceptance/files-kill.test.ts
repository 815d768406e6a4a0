/** Kills under uploads: every acknowledged file is whole, nothing else is listed, and nothing is left over. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { killUploads } from "../fixtures/file-kills.ts";

test("four kills under 32 concurrent uploads", { timeout: 300_000 }, async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-files-kill-"));
  try {
    const { acknowledged, cut } = await killUploads({ rounds: 4, uploads: 32, dataDir, database: CHOSEN });
    assert.ok(
      acknowledged > 0 && cut > 0,
      `the kills must fall into uploads: ${acknowledged} acknowledged, ${cut} cut`,
    );
    context.diagnostic(`${acknowledged} files acknowledged, ${cut} uploads cut off`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
