import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Tables } from "../schema.ts";
import type { Reader } from "../types.ts";
import { readDialect } from "./dialect.ts";

/** File name of the records in a data directory and in its backups. */
export const RECORDS_FILE = "mooring.db";

/** The whole file in one step. With more steps, each write of a server would restart the copy. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies all committed records of one moment into a new file, while a server may run. Pages keep their places, so that
 * two copies differ only where the records do. It does not flush the file.
 * @throws Error when there are no records
 */
export async function copySqliteRecords(dataDir: string, to: string): Promise<void> {
  const database = new DatabaseSync(join(dataDir, RECORDS_FILE), { readOnly: true, timeout: 5_000 });
  try {
    await backup(database, to, { rate: ALL_PAGES });
  } finally {
    database.close();
  }
}

/** Opens such a copy read-only, with any version of the schema. */
export function openRecordsCopy(path: string): { readonly read: Reader; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  return { read: new Kysely<Tables>({ dialect: readDialect(database, null) }), close: () => database.close() };
}
