/** What a metadata store must do, whichever database keeps it. A driver's test calls `metadataContract` with its databases. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CONCURRENCY } from "./contract/concurrency.ts";
import { DEADLINES, STRAYS } from "./contract/deadlines.ts";
import { DEFERRING } from "./contract/deferring.ts";
import { openStore, type DatabaseCases, type StoreCases, type TestDatabase } from "./contract/harness.ts";
import { LIFE, LIFE_OF_A_DATABASE } from "./contract/life.ts";
import { MIGRATIONS_RUN, MIGRATIONS_OF_A_DATABASE } from "./contract/migrations.ts";
import { TRANSACTIONS } from "./contract/transactions.ts";
import { VALUES } from "./contract/values.ts";

export type { TestDatabase } from "./contract/harness.ts";

const STORE_CASES: StoreCases = {
  ...MIGRATIONS_RUN,
  ...TRANSACTIONS,
  ...DEFERRING,
  ...STRAYS,
  ...CONCURRENCY,
  ...VALUES,
  ...LIFE,
};
const DATABASE_CASES: DatabaseCases = { ...MIGRATIONS_OF_A_DATABASE, ...DEADLINES, ...LIFE_OF_A_DATABASE };

/** Each case gets a new database, and fails when its stores leave anything behind. */
export function metadataContract(name: string, provide: () => Promise<TestDatabase>): void {
  describe(`metadata store: ${name}`, () => {
    for (const [what, show] of Object.entries(STORE_CASES)) {
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
    for (const [what, show] of Object.entries(DATABASE_CASES)) {
      test(what, async () => {
        const database = await provide();
        await show(database);
        await leaveNothing(database);
      });
    }
  });
}

async function leaveNothing(database: TestDatabase): Promise<void> {
  assert.deepEqual(await database.leftovers(), []);
  await database.remove();
}
