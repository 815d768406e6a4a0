/** The S3 gateway is killed under 100 concurrent writers. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { killWriters } from "../fixtures/s3-kills.ts";

test("10 kills under 100 concurrent writers", { timeout: 900_000 }, async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-s3-kill-"));
  try {
    const { acknowledged, cut } = await killWriters({ rounds: 10, writers: 100, dataDir, database: CHOSEN });
    assert.ok(acknowledged > 0 && cut > 0, `the kills must hit writes: ${acknowledged} acknowledged, ${cut} cut`);
    context.diagnostic(`${acknowledged} writes acknowledged, ${cut} cut off`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
