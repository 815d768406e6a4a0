import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { StoredTable } from "../../spool/tables.ts";
import type { MadeFile } from "../protocol.ts";
import { piecesOf, type Piece } from "./cut.ts";
import { literal } from "./sql.ts";

export const GROUP_ROWS_MAX = 122_880;
const DAY_US = 86_400_000_000n;
/**
 * With a larger share of distinct values, the smaller dictionary size is not tried. `approx_count_distinct` may be
 * wrong by a few per cent.
 */
const DISTINCT_SHARE_MAX = 0.8;
/** A dictionary of all values of a row group must fit on its page, or the writer drops it. */
const DICTIONARY_PAGE_BYTES = 64 * 1024 * 1024;

export interface Output {
  readonly type: StoredTable;
  readonly outputDir: string;
  /** Rows of a row group, `GROUP_ROWS_MAX` when absent. A group is built in memory, so wide rows need small groups. */
  readonly groupRows?: number;
  /** The zstd level, when not its default. */
  readonly level?: number;
}

export interface Written extends Output {
  readonly select: string;
  /** The number of rows that `select` returns. */
  readonly rows: number;
  /** The file name without its extension. */
  readonly name: string;
  readonly promoted: readonly string[];
}

/** Writes a file and reads back its counts, as queries will see them. */
export async function writeParquet(duckdb: DuckDBConnection, written: Written): Promise<MadeFile> {
  const path = join(written.outputDir, `${written.name}.parquet`);
  await copy(duckdb, written, path, "");
  if (written.type === "traces") await addTraceFilter(duckdb, written, path);
  return readBack(duckdb, path, written.promoted);
}

/**
 * Adds a Bloom filter to find a trace by its identifier. Bloom filters need a dictionary. By default the writer drops a
 * dictionary when a fifth of a row group's values differ, which happens when traces have few spans. Then the file is
 * written again with larger dictionaries. If possible, columns with only distinct values (span_id) still have none,
 * because their dictionary would add a fifth to the file.
 */
async function addTraceFilter(duckdb: DuckDBConnection, written: Written, path: string): Promise<void> {
  if (!(await lacksTraceFilter(duckdb, path))) return;
  const source = `read_parquet(${literal(path)})`;
  const groupRows = Math.min(written.rows, written.groupRows ?? GROUP_ROWS_MAX);
  const found = await duckdb.runAndReadAll(`SELECT approx_count_distinct(trace_id) / count(trace_id) FROM ${source}`);
  const isMostlyDistinct = Number(found.getRows()[0]?.[0]) > DISTINCT_SHARE_MAX;
  const better = join(written.outputDir, `${written.name}-filtered.parquet`);
  for (const values of isMostlyDistinct ? [groupRows + 1] : [Math.floor(groupRows * 0.9), groupRows + 1]) {
    await copy(duckdb, { ...written, select: `SELECT * FROM ${source}` }, better, dictionaries(values));
    if (!(await lacksTraceFilter(duckdb, better))) break;
  }
  await rename(better, path);
}

async function copy(duckdb: DuckDBConnection, written: Written, path: string, more: string): Promise<void> {
  const level = written.level === undefined ? "" : `, COMPRESSION_LEVEL ${written.level}`;
  const options = `FORMAT parquet, COMPRESSION zstd${level}, ROW_GROUP_SIZE ${written.groupRows ?? GROUP_ROWS_MAX}${more}`;
  await duckdb.run(`COPY (${written.select}) TO ${literal(path)} (${options})`);
}

function dictionaries(values: number): string {
  return `, DICTIONARY_SIZE_LIMIT ${Math.max(1, values)}, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${DICTIONARY_PAGE_BYTES}`;
}

async function lacksTraceFilter(duckdb: DuckDBConnection, path: string): Promise<boolean> {
  const found = await duckdb.runAndReadAll(
    `SELECT count(*) FROM parquet_metadata(${literal(path)}) WHERE path_in_schema = 'trace_id' AND bloom_filter_offset IS NULL`,
  );
  return Number(found.getRows()[0]?.[0]) > 0;
}

async function readBack(duckdb: DuckDBConnection, path: string, promoted: readonly string[]): Promise<MadeFile> {
  const check = await duckdb.runAndReadAll(
    `SELECT count("timestamp")::DOUBLE, min(epoch_us("timestamp"))::DOUBLE, max(epoch_us("timestamp"))::DOUBLE
     FROM read_parquet(${literal(path)})`,
  );
  const [rows, minUs, maxUs] = (check.getRows()[0] ?? []).map(Number);
  if (rows === undefined || minUs === undefined || maxUs === undefined)
    throw new Error("the file could not be read back");
  return { path, rows, bytes: (await stat(path)).size, minUs, maxUs, promoted };
}

/** Replaces a sorted file by one for each of its days, months or years; see `piecesOf`. */
export async function cutByDay(duckdb: DuckDBConnection, output: Output, file: MadeFile): Promise<MadeFile[]> {
  const rowsOfDay = await countDays(duckdb, file.path);
  const pieces = piecesOf([...rowsOfDay.keys()]);
  if (pieces.length <= 1) return [file];
  const made: MadeFile[] = [];
  for (const [index, piece] of pieces.entries()) {
    const select = `SELECT * FROM read_parquet(${literal(file.path)}) WHERE ${within(piece)}`;
    const rows = [...rowsOfDay].reduce(
      (sum, [day, count]) => (day >= piece.fromDay && day < piece.toDay ? sum + count : sum),
      0,
    );
    made.push(await writeParquet(duckdb, { ...output, select, rows, name: String(index), promoted: file.promoted }));
  }
  await rm(file.path);
  return made;
}

/**
 * Counts the rows of each day since the epoch, ascending. Integers are exact: the last microsecond of a day belongs to
 * that day in any year.
 */
async function countDays(duckdb: DuckDBConnection, path: string): Promise<Map<number, number>> {
  const found = await duckdb.runAndReadAll(
    `SELECT ((us - ((us % ${DAY_US}) + ${DAY_US}) % ${DAY_US}) // ${DAY_US})::INTEGER AS day, count(*)::DOUBLE
     FROM (SELECT epoch_us("timestamp") AS us FROM read_parquet(${literal(path)})) GROUP BY day ORDER BY day`,
  );
  return new Map(found.getRows().map(([day, rows]) => [Number(day), Number(rows)]));
}

function within({ fromDay, toDay }: Piece): string {
  const at = (day: number): string => `make_timestamptz(${BigInt(day) * DAY_US})`;
  return `"timestamp" >= ${at(fromDay)} AND "timestamp" < ${at(toDay)}`;
}
