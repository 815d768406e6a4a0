import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, startAnalysis } from "./index.ts";
import { PointReads } from "./sqlite/point-reads.ts";

test("the planner is told of tables at the start and at times, and goes on finding keys by their indexes", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-analysis-"));
  const store = await openMetadata({ url: undefined, dataDir, clock: systemClock });
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const rowsOf = (table: string): number =>
    (db.prepare("select count(*) as n from sqlite_schema where name = 'sqlite_stat1'").get() as { n: number }).n === 0
      ? 0
      : Number(
          (
            db.prepare("select max(stat) as stat from sqlite_stat1 where tbl = ?").get(table) as { stat: string | null }
          ).stat?.split(" ")[0] ?? 0,
        );
  const add = (first: number, amount: number): Promise<void> =>
    store.write(async (tx) => {
      const rows = Array.from({ length: amount }, (_, at) => first + at).map((number) => ({
        id: `org_${number}`,
        slug: `slug-${number}`,
        name: "x",
        token_lifetime_s: 900,
        policy: "{}",
        created_at: 0,
      }));
      await tx.insertInto("organization").values(rows).execute();
    });
  await add(0, 1);
  const stop = startAnalysis(store, 50);
  try {
    await until(() => rowsOf("organization") === 1);
    await add(1, 500);
    await until(() => rowsOf("organization") > 100);
    const reads = new PointReads(new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true }));
    const context =
      "select c.*, o.slug from credential as c join organization as o on o.id = c.org_id where c.client_id = ?";
    assert.equal(reads.includes(context, ["x"]), true);
  } finally {
    stop();
    db.close();
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
});

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, "in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
