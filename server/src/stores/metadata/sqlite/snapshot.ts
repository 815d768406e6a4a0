import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Tables } from "../schema.ts";
import type { Reader } from "../types.ts";
import { readDialect } from "./dialect.ts";

/** The name of the records in a data directory, and in a backup of one. */
export const RECORDS_FILE = "mooring.db";

/**
 * Writes the records of one moment into a new file, beside a running server: everything that was committed before. Blocks this thread for as long as
 * that takes. Not flushed.
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

/** Reads such a file, with any version of the schema; nothing is written beside it. */
export function openRecordsCopy(path: string): { readonly read: Reader; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  return { read: new Kysely<Tables>({ dialect: readDialect(database, null) }), close: () => database.close() };
}
