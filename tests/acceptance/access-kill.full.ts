/** Kills at 30 moments under requests of every interface: no answer that a client has read lacks its row in the access log. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killAccesses } from "../fixtures/access-kills.ts";

test("30 kills: every answered request has its row, once", { timeout: 1_800_000 }, async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-access-kill-"));
  try {
    const { answered, cut } = await killAccesses({ rounds: 30, dataDir });
    for (const [action, count] of answered) assert.ok(count >= 60, `${action} had only ${count} answers`);
    assert.ok(cut > 0, "the kills must hit requests");
    const counts = [...answered].map(([action, count]) => `${action} ${count}`).join(", ");
    context.diagnostic(`rows for all answers: ${counts}; ${cut} requests cut off`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
