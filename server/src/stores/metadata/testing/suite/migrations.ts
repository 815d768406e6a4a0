import assert from "node:assert/strict";
import type { Tables } from "../../index.ts";
import { MIGRATIONS } from "../../migrations/index.ts";
import { openStore, type DatabaseCases, type StoreCases } from "./harness.ts";
import { ACCOUNTS_MIGRATION } from "./accounts-migration.ts";
import { OWNERSHIP_MIGRATION } from "./ownership-migration.ts";
import { PROJECTS_MIGRATION } from "./projects-migration.ts";
import { REGISTRY_MIGRATION } from "./registry-migration.ts";
import { ROWS } from "./rows.ts";
import { TRUSTS_MIGRATION } from "./trusts-migration.ts";

/** Creation of the schema. */
export const MIGRATIONS_RUN: StoreCases = {
  "migrations run once, however often the store is opened": async (store, database) => {
    const before = await store.read.selectFrom("migration").selectAll().execute();
    await (await openStore(database)).close();
    assert.deepEqual(await store.read.selectFrom("migration").selectAll().execute(), before);
    assert.deepEqual(new Set(before.map((row) => row.name)), new Set(MIGRATIONS.map((migration) => migration.name)));
  },

  "a database of a newer version is refused and not changed": async (store, database) => {
    await store.write((tx) => tx.insertInto("migration").values({ name: "9999-future", applied_at: 1 }).execute());
    await assert.rejects(openStore(database), /newer version of Mooring has changed it \(9999-future\)/);
    assert.equal((await store.read.selectFrom("migration").selectAll().execute()).length, MIGRATIONS.length + 1);
  },

  "every table stores a full row and returns it": async (store) => {
    for (const table of Object.keys(ROWS) as (keyof Tables)[]) {
      const row = ROWS[table];
      await store.write(
        async (tx) =>
          void (await tx
            .insertInto(table)
            .values(row as never)
            .execute()),
      );
      const found: unknown[] = await store.read.selectFrom(table).selectAll().execute();
      assert.deepEqual(found.at(-1), row, table);
    }
  },
};

export const MIGRATIONS_OF_A_DATABASE: DatabaseCases = {
  ...ACCOUNTS_MIGRATION,
  ...TRUSTS_MIGRATION,
  ...OWNERSHIP_MIGRATION,
  ...REGISTRY_MIGRATION,
  ...PROJECTS_MIGRATION,

  "several stores can open a new database at once": async (database) => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(database)));
    for (const store of stores) await store.ping();
    await Promise.all(stores.map((store) => store.close()));
  },
};
