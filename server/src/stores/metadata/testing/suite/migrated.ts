import assert from "node:assert/strict";
import type { MetadataStore, Writer } from "../../index.ts";
import { MIGRATIONS, type Migration } from "../../migrations/index.ts";
import { openStore, type TestDatabase } from "./harness.ts";

/** A database as the version before a migration left it, with what `fill` puts in; then as this version opens it. */
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
