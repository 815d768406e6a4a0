import type { DuckDBConnection } from "@duckdb/node-api";
import { predicateSql } from "../../retention/predicate.ts";
import type { EraseJob, MadeFile } from "../protocol.ts";
import { SEVERITY_ANEW } from "../../severity-sql.ts";
import { isSpoolTable, SPOOL_TABLES } from "../../spool/tables.ts";
import { literal } from "./sql.ts";
import { writeParquet } from "./write.ts";

/**
 * Writes a file with the rows that do not match. Returns no file when all rows match, and the input itself when none
 * does.
 */
export async function erase(duckdb: DuckDBConnection, job: EraseJob): Promise<MadeFile[]> {
  const { input, type } = job;
  const source = `read_parquet(${literal(input.path)}, hive_partitioning = false)`;
  const cleared = isSpoolTable(type) && job.predicate.match.actor_id !== undefined ? SPOOL_TABLES[type].personal : [];
  if (cleared.length > 0) return clear(duckdb, job, source, cleared);
  const condition = predicateSql(type, job.predicate);
  const counted = await duckdb.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${source} WHERE ${condition}`);
  const matched = Number(counted.getRows()[0]?.[0]);
  if (matched === 0) return [input];
  const rows = input.rows - matched;
  if (rows === 0) return [];
  const severities = type === "logs" ? ` REPLACE (${SEVERITY_ANEW} AS "severity")` : "";
  const select = `SELECT *${severities} FROM ${source} WHERE NOT ${condition}`;
  const made = await writeParquet(duckdb, { ...job, select, rows, name: "kept", promoted: input.promoted });
  if (made.rows !== rows) throw new Error(`${rows} rows should have been kept, but ${made.rows} were`);
  return [made];
}

/** Keeps the rows of the server's own tables as evidence, without the columns that are about the person. */
async function clear(
  duckdb: DuckDBConnection,
  job: EraseJob,
  source: string,
  columns: readonly string[],
): Promise<MadeFile[]> {
  const { input, type } = job;
  const has = columns.map((name) => `"${name}" IS NOT NULL`).join(" OR ");
  const condition = `(${predicateSql(type, job.predicate)} AND (${has}))`;
  const counted = await duckdb.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${source} WHERE ${condition}`);
  if (Number(counted.getRows()[0]?.[0]) === 0) return [input];
  const values = columns.map((name) => `CASE WHEN ${condition} THEN NULL ELSE "${name}" END AS "${name}"`);
  const select = `SELECT * REPLACE (${values.join(", ")}) FROM ${source}`;
  const made = await writeParquet(duckdb, { ...job, select, rows: input.rows, name: "cleared", promoted: [] });
  return [made];
}
