import { sql } from "kysely";
import type { Writer } from "./types.ts";

/** How often SQLite's statistics are updated. */
export const ANALYSIS_EVERY_MS = 6 * 60 * 60 * 1000;
/** Rows of an index that are sampled. Reading all rows would block writes. */
const ROWS_OF_AN_INDEX = 1000;
/** Flags of `PRAGMA optimize`: all tables, not only those that this connection has used. */
const EVERY_TABLE = 0x10002;
/**
 * Smaller tables get no statistics, so the planner treats them as large. With statistics it would scan a table of ten
 * rows instead of using its key, and the scan would stay when the table has grown.
 */
const ROWS_MIN = 10_000;

/** Updates the statistics of SQLite's planner. PostgreSQL does so itself (autovacuum). */
export async function analyze(tx: Writer): Promise<void> {
  await sql`pragma analysis_limit = ${sql.lit(ROWS_OF_AN_INDEX)}`.execute(tx);
  await sql`pragma optimize = ${sql.lit(EVERY_TABLE)}`.execute(tx);
  const figures = await sql`select 1 from sqlite_schema where name = 'sqlite_stat1'`.execute(tx);
  // Each value begins with the number of rows of its table.
  if (figures.rows.length > 0)
    await sql`delete from sqlite_stat1 where cast(stat as integer) < ${ROWS_MIN}`.execute(tx);
}
