import { sql } from "kysely";
import type { Writer } from "./types.ts";

/** How often the planner's figures are brought up to date where the database does not do so by itself. */
export const ANALYSIS_EVERY_MS = 6 * 60 * 60 * 1000;
/** Rows of an index that are sampled: reading all of it would block writes. */
const ROWS_OF_AN_INDEX = 1000;
/** `PRAGMA optimize`: every table, not only those that this connection has used. */
const EVERY_TABLE = 0x10002;
/**
 * Tables with fewer rows have no statistics, and count as large ones: SQLite would rather scan a table of ten rows than
 * use its key, and such a plan is no point read any more, nor cheap when the table has grown.
 */
const ROWS_MIN = 10_000;

/** Tells SQLite's planner how tables have grown. PostgreSQL does so by itself (autovacuum). */
export async function analyze(tx: Writer): Promise<void> {
  await sql`pragma analysis_limit = ${sql.lit(ROWS_OF_AN_INDEX)}`.execute(tx);
  await sql`pragma optimize = ${sql.lit(EVERY_TABLE)}`.execute(tx);
  const figures = await sql`select 1 from sqlite_schema where name = 'sqlite_stat1'`.execute(tx);
  // Each begins with how many rows the table has.
  if (figures.rows.length > 0)
    await sql`delete from sqlite_stat1 where cast(stat as integer) < ${ROWS_MIN}`.execute(tx);
}
