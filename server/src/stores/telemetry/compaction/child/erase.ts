import type { DuckDBConnection } from "@duckdb/node-api";
import { keptSql } from "../../retention/plans.ts";
import { predicateSql, type Predicate } from "../../retention/predicate.ts";
import type { EraseJob, MadeFile } from "../protocol.ts";
import { isSpoolTable, SPOOL_TABLES, type StoredTable } from "../../spool/tables.ts";
import { admitCondition } from "../../query/child/condition.ts";
import { QUERY_TABLES } from "../../query/tables.ts";
import { literal, shownRows } from "./sql.ts";
import { writeParquet } from "./write.ts";

/**
 * Writes a file with the rows that do not match. Returns no file when all rows match, and the input itself when none
 * does.
 */
export async function erase(duckdb: DuckDBConnection, job: EraseJob): Promise<MadeFile[]> {
  const { input, type } = job;
  const condition =
    job.past === undefined ? predicateSql(type, await admitted(duckdb, job)) : `NOT ${keptSql(type, job.past)}`;
  const source = `(${shownRows(type, `read_parquet(${literal(input.path)}, hive_partitioning = false)`)}) AS "${type}"`;
  const isPersonal = job.predicate.match.actor_id !== undefined || job.predicate.match.where !== undefined;
  const cleared = isSpoolTable(type) && isPersonal ? SPOOL_TABLES[type].personal : [];
  if (cleared.length > 0) return clear(duckdb, { job, source, condition, columns: cleared });
  const counted = await duckdb.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${source} WHERE ${condition}`);
  const matched = Number(counted.getRows()[0]?.[0]);
  if (matched === 0 || matched < input.rows * (job.shareMin ?? 0)) return [input];
  const rows = input.rows - matched;
  if (rows === 0) return [];
  const select = `SELECT ${storedOf(type)} FROM ${source} WHERE NOT ${condition}`;
  const made = await writeParquet(duckdb, { ...job, select, rows, name: "kept", promoted: input.promoted });
  if (made.rows !== rows) throw new Error(`${rows} rows should have been kept, but ${made.rows} were`);
  return [made];
}

/**
 * Checks a condition in SQL again, because a process that reads rows of tenants has rendered it, and here it runs with
 * access to all files.
 */
async function admitted(duckdb: DuckDBConnection, { type, predicate }: EraseJob): Promise<Predicate> {
  const { where } = predicate.match;
  const table = QUERY_TABLES.find(({ name }) => name === type);
  if (where === undefined || table === undefined) return predicate;
  const evaluate = async (sql: string, parameter: string): Promise<string> =>
    String((await duckdb.runAndReadAll(sql, [parameter])).getRows()[0]?.[0]);
  const { sql } = await admitCondition(where, { table, nowMs: null }, evaluate);
  return { ...predicate, match: { where: sql } };
}

/** The columns of `shownRows` that files have. */
function storedOf(type: StoredTable): string {
  const derived = QUERY_TABLES.find(({ name }) => name === type)?.columns.filter((column) => column.derived === true);
  if (derived === undefined || derived.length === 0) return "*";
  return `* EXCLUDE (${derived.map(({ name }) => `"${name}"`).join(", ")})`;
}

/** Keeps the rows of the server's own tables as evidence, without the columns that are about the person. */
async function clear(
  duckdb: DuckDBConnection,
  of: { job: EraseJob; source: string; condition: string; columns: readonly string[] },
): Promise<MadeFile[]> {
  const { job, source, columns } = of;
  const { input } = job;
  const has = columns.map((name) => `"${name}" IS NOT NULL`).join(" OR ");
  const condition = `(${of.condition} AND (${has}))`;
  const counted = await duckdb.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${source} WHERE ${condition}`);
  const cleared = Number(counted.getRows()[0]?.[0]);
  if (cleared === 0) return [input];
  const values = columns.map((name) => `CASE WHEN ${condition} THEN NULL ELSE "${name}" END AS "${name}"`);
  const select = `SELECT * REPLACE (${values.join(", ")}) FROM ${source}`;
  const made = await writeParquet(duckdb, { ...job, select, rows: input.rows, name: "cleared", promoted: [] });
  return [{ ...made, cleared }];
}
