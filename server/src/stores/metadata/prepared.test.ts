import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { systemClock } from "#kernel/time.ts";
import { columnsOf, openMetadata, prepared, type Tables } from "./index.ts";

const COLUMNS = ["id", "applied_seq", "started_at", "seen_at"] as const;
const INSERT = prepared((db, row: Tables["node"]) => db.insertInto("node").values(columnsOf(row, COLUMNS)));
const BY_SEQ = prepared((db, from: number, to: number) =>
  db.selectFrom("node").select("id").where("applied_seq", ">=", from).where("applied_seq", "<", to).orderBy("id"),
);
const RAW = prepared((_db, id: string) => sql<{ n: number }>`select seen_at as n from node where id = ${id}`);

const NO_KEYS = { master_ids: null, key_ring: null };

test("a prepared query takes new values each time, inside and outside transactions, in each open database", async () => {
  const dataDirs = [0, 1].map(() => mkdtempSync(join(tmpdir(), "mooring-prepared-")));
  const stores = await Promise.all(
    dataDirs.map((dataDir) => openMetadata({ url: undefined, dataDir, clock: systemClock })),
  );
  for (const [at, store] of stores.entries()) {
    await store.write(async (tx) => {
      for (const number of [1, 2, 3])
        tx.defer(
          INSERT.with(tx, {
            id: `node_${at}${number}`,
            applied_seq: number,
            started_at: 0,
            seen_at: number * 10,
            ...NO_KEYS,
          }),
        );
      assert.deepEqual(await BY_SEQ.execute(tx, 1, 3), [{ id: `node_${at}1` }, { id: `node_${at}2` }]);
    });
    assert.deepEqual(await BY_SEQ.execute(store.read, 3, 4), [{ id: `node_${at}3` }]);
    assert.deepEqual(await BY_SEQ.execute(store.read, 4, 5), []);
    assert.deepEqual(await RAW.execute(store.read, `node_${at}2`), [{ n: 20 }]);
  }
  for (const store of stores) await store.close();
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true });
});
