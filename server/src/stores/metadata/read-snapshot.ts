import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { MIGRATION_DEADLINE_MS } from "./migrate.ts";
import { postgresDialect } from "./postgres/dialect.ts";
import { openPool } from "./postgres/pool.ts";
import type { Tables } from "./schema.ts";
import { readDialect } from "./sqlite/dialect.ts";
import { RECORDS_FILE } from "./sqlite/snapshot.ts";
import type { Reader } from "./types.ts";

/** The limits of a snapshot's only connection. The reads are long, and wait for no locks. */
const WAITS = {
  connectionMs: MIGRATION_DEADLINE_MS,
  lockMs: 0,
  requestMs: MIGRATION_DEADLINE_MS,
  silenceMs: MIGRATION_DEADLINE_MS,
  transactionMs: MIGRATION_DEADLINE_MS,
};

export interface SnapshotSource {
  /** As in `MetadataOptions`. */
  readonly url: string | undefined;
  readonly dataDir: string;
}

/**
 * Runs `work` with a reader that sees the records of one moment, while servers run. In SQLite, the reads block this
 * thread, and its log grows until the end: read only the needed rows, and do slow work afterwards.
 */
export async function withRecordSnapshot<T>(source: SnapshotSource, work: (read: Reader) => Promise<T>): Promise<T> {
  return source.url === undefined ? sqliteSnapshot(source.dataDir, work) : postgresSnapshot(source.url, work);
}

async function sqliteSnapshot<T>(dataDir: string, work: (read: Reader) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(join(dataDir, RECORDS_FILE), { readOnly: true, timeout: 5_000 });
  try {
    database.exec("BEGIN");
    database.prepare("SELECT count(*) FROM migration").get(); // the first read chooses the moment
    return await work(new Kysely<Tables>({ dialect: readDialect(database, null) }));
  } finally {
    database.close();
  }
}

async function postgresSnapshot<T>(url: string, work: (read: Reader) => Promise<T>): Promise<T> {
  const pool = openPool({ url, connectionsMax: 1, readOnly: true, waits: WAITS });
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool) });
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`set transaction isolation level repeatable read`.execute(tx);
      return work(tx);
    });
  } finally {
    await pool.end();
  }
}
