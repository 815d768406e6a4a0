/** The tests that every metadata store must pass. A driver's test calls `metadataContract` with its databases. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CONCURRENCY } from "./suite/concurrency.ts";
import { DEADLINES, STRAYS } from "./suite/deadlines.ts";
import { DEFERRING } from "./suite/deferring.ts";
import { openStore, type DatabaseCases, type StoreCases, type TestDatabase } from "./suite/harness.ts";
import { LIFE } from "./suite/life.ts";
import { MIGRATIONS_RUN, MIGRATIONS_OF_A_DATABASE } from "./suite/migrations.ts";
import { TRANSACTIONS } from "./suite/transactions.ts";
import { VALUES } from "./suite/values.ts";

export type { TestDatabase } from "./suite/harness.ts";

const STORE_CASES: StoreCases = {
  ...TRANSACTIONS,
  ...DEFERRING,
  ...STRAYS,
  ...CONCURRENCY,
  ...VALUES,
  ...LIFE,
};

/** A new database for a case. Applying all migrations takes longer than most cases. */
export type Provide = (state: "empty" | "migrated") => Promise<TestDatabase>;

/** Each case gets a new database, and fails when its stores leave anything behind. */
export function metadataContract(name: string, provide: Provide): void {
  describe(`metadata store: ${name}`, () => {
    storeCases(MIGRATIONS_RUN, () => provide("empty"));
    databaseCases(MIGRATIONS_OF_A_DATABASE, () => provide("empty"));
    storeCases(STORE_CASES, () => provide("migrated"));
    databaseCases(DEADLINES, () => provide("migrated"));
  });
}

function storeCases(cases: StoreCases, provide: () => Promise<TestDatabase>): void {
  for (const [what, show] of Object.entries(cases)) {
    test(what, async () => {
      const database = await provide();
      const store = await openStore(database);
      try {
        await show(store, database);
      } finally {
        await store.close();
      }
      await leaveNothing(database);
    });
  }
}

/** Cases that open stores themselves. Their stores must leave nothing behind. */
export function databaseCases(cases: DatabaseCases, provide: () => Promise<TestDatabase>): void {
  for (const [what, show] of Object.entries(cases)) {
    test(what, async () => {
      const database = await provide();
      await show(database);
      await leaveNothing(database);
    });
  }
}

async function leaveNothing(database: TestDatabase): Promise<void> {
  assert.deepEqual(await database.leftovers(), []);
  await database.remove();
}
