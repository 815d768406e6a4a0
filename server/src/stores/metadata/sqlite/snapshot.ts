import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Tables } from "../schema.ts";
import type { Reader } from "../types.ts";
import { readDialect } from "./dialect.ts";

/** File name of the records in a data directory and in its backups. */
export const RECORDS_FILE = "mooring.db";

/**
 * Copies all committed records of one moment into a new file, while a server may run. Blocks this thread meanwhile, and
 * does not flush the file.
 * @throws Error when `to` exists, or there are no records
 */
export function copySqliteRecords(dataDir: string, to: string): void {
  const database = new DatabaseSync(join(dataDir, RECORDS_FILE), { readOnly: true, timeout: 5_000 });
  try {
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}

/** Opens such a copy read-only, with any version of the schema, without files beside it. */
export function openRecordsCopy(path: string): { readonly read: Reader; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  return { read: new Kysely<Tables>({ dialect: readDialect(database, null) }), close: () => database.close() };
}
