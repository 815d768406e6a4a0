import assert from "node:assert/strict";
import type { MetadataStore, Writer } from "../../index.ts";
import { MIGRATIONS, type Migration } from "../../migrations/index.ts";
import { openStore, type TestDatabase } from "./harness.ts";

/** Creates a database at the version before a migration, adds the rows of `fill`, and opens it with this version. */
export async function migrated(
  database: TestDatabase,
  name: string,
  fill: (tx: Writer) => Promise<void>,
): Promise<MetadataStore> {
  const all = MIGRATIONS as Migration[];
  const at = all.findIndex((migration) => migration.name === name);
  assert.ok(at > 0, name);
  const later = all.splice(at);
  try {
    const before = await openStore(database);
    await before.write(fill);
    await before.close();
  } finally {
    all.push(...later);
  }
  return openStore(database);
}
