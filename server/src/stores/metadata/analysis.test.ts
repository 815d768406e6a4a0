import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { analyze, openMetadata } from "./index.ts";
import { PointReads } from "./sqlite/point-reads.ts";

test("the planner gets statistics of large tables, and never scans a small table instead of its keys", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-analysis-"));
  const store = await openMetadata({ url: undefined, dataDir, clock: systemClock });
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const hasFigures = (): boolean =>
    (db.prepare("select count(*) as n from sqlite_schema where name = 'sqlite_stat1'").get() as { n: number }).n > 0;
  /** Returns the number of rows that the planner assumes. */
  const rowsOf = (table: string): number => {
    if (!hasFigures()) return 0;
    const row = db.prepare("select max(cast(stat as integer)) as rows from sqlite_stat1 where tbl = ?").get(table);
    return Number((row as { rows: number | null }).rows ?? 0);
  };
  const add = (first: number, amount: number): Promise<void> =>
    store.write(async (tx) => {
      const rows = Array.from({ length: amount }, (_, at) => first + at).map((number) => ({
        id: `org_${number}`,
        slug: `slug-${number}`,
        name: "x",
        token_lifetime_s: 900,
        policy: "{}",
        created_at: 0,
        state: "active",
        state_reason: null,
        suspended_at: null,
      }));
      await tx.insertInto("organization").values(rows).execute();
    });
  await add(0, 1);
  const CONTEXT =
    "select c.*, o.slug from credential as c join organization as o on o.id = c.org_id where c.client_id = ?";
  const FEED = 'select * from "auth_change" where "seq" >= ? order by "seq" limit ?';
  const arePoints = (): boolean[] => {
    const fresh = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
    const reads = new PointReads(fresh);
    const found = [reads.includes(CONTEXT, ["x"]), reads.includes(FEED, [1, 100])];
    fresh.close();
    return found;
  };
  try {
    await store.write(analyze);
    assert.ok(hasFigures(), "small tables must have no statistics after the first run");
    assert.equal(rowsOf("organization"), 0);
    assert.deepEqual(arePoints(), [true, true]);
    for (let first = 1; first < 12_000; first += 1000) await add(first, 1000);
    await store.write(analyze);
    assert.ok(rowsOf("organization") > 10_000);
    assert.deepEqual(arePoints(), [true, true]);
  } finally {
    db.close();
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
});
