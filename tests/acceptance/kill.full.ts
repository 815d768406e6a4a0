/**
 * Twenty times: eight writers, SIGKILL at a random moment, a new start. SQL returns the acknowledged entries, once
 * each.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { killRounds } from "../fixtures/kills.ts";

const ROUNDS = 20;

for (const { kind, skip } of DATABASES) {
  test(`${ROUNDS} kills under load on ${kind} lose and double no acknowledged entry`, { skip }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-kill-"));
    try {
      const { acknowledged, cut } = await killRounds({ rounds: ROUNDS, dataDir, database: kind });
      t.diagnostic(`${acknowledged} entries acknowledged, ${cut} batches cut off by a kill`);
      assert.ok(acknowledged > ROUNDS * 100, `too little load for a result: ${acknowledged}`);
      assert.ok(cut > ROUNDS, `too few batches were in flight: ${cut}`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
