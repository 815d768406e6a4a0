import type { TimeRange } from "../../../snapshot.ts";
import { hasHiddenRows, type ChildFiles, type ChildTable, type FileTimes } from "../../protocol.ts";
import type { LatestRows } from "./statement.ts";

/** A table with fewer rows in Parquet is read without a search, which would take as long. */
const ROWS_MIN = 50_000;
/** The number of rows in the first search: a fixed number, or a share of all rows when there are conditions. */
const LOOK_ROWS = 4096;
const LOOK_FILTERED_ROWS = 20_000;
const LOOK_SHARE = 16;
const STEPS = 24;

/**
 * Returns the newest files of a table, which probably contain the rows that a statement needs. Returns undefined when the
 * search is not worth it. Hot rows are left out. If these files have enough rows after a bound, all files together have
 * enough too.
 */
export function newestFiles(
  files: ChildFiles,
  { table, count, select }: LatestRows,
  statementRange: TimeRange,
): ChildFiles | undefined {
  const own = files.tables[table];
  if (own === undefined) return undefined;
  const range = within(own.range, statementRange);
  const times = own.parquet.flatMap((group) => group.times ?? []);
  const rows = rowsSince(times, -Infinity, range);
  if (rows < ROWS_MIN || rows < 4 * count) return undefined;
  const filtered = Boolean(select["where_clause"]) || own.kept !== undefined || hasHiddenRows(files);
  const wanted = filtered ? Math.max(LOOK_FILTERED_ROWS, rows / LOOK_SHARE, 2 * count) : Math.max(LOOK_ROWS, 2 * count);
  return since(files, table, sinceFor(times, wanted, range), { hot: false });
}

/** Returns a query's files without those of a table that are older than `fromUs`. */
export function since(
  files: ChildFiles,
  table: string,
  fromUs: number,
  { hot }: { readonly hot: boolean },
): ChildFiles {
  const own = files.tables[table];
  if (own === undefined) return files;
  const parquet = own.parquet.map((group) => {
    const kept = group.files.filter((_, i) => (group.times?.[i]?.[1] ?? Infinity) >= fromUs);
    const { promoted, oldSpellings = false } = group;
    return { promoted, oldSpellings, files: kept };
  });
  const narrowed: ChildTable = {
    parquet: parquet.filter((group) => group.files.length > 0),
    hot: hot ? own.hot : [],
    range: within(own.range, { fromUs }),
    kept: own.kept,
  };
  return { ...files, tables: { ...files.tables, [table]: narrowed } };
}

function within(a: TimeRange, b: TimeRange): TimeRange {
  const fromUs = Math.max(a.fromUs ?? -Infinity, b.fromUs ?? -Infinity);
  const toUs = Math.min(a.toUs ?? Infinity, b.toUs ?? Infinity);
  return { ...(fromUs === -Infinity ? {} : { fromUs }), ...(toUs === Infinity ? {} : { toUs }) };
}

/** Estimates the time since which there are this many rows, as if each file's rows were evenly spread. */
function sinceFor(times: readonly FileTimes[], wanted: number, range: TimeRange): number {
  let low = Math.max(range.fromUs ?? -Infinity, Math.min(...times.map(([minUs]) => minUs)));
  let high = Math.min(range.toUs ?? Infinity, Math.max(...times.map(([, maxUs]) => maxUs)));
  for (let i = 0; i < STEPS; i++) {
    const middle = low + (high - low) / 2;
    if (rowsSince(times, middle, range) >= wanted) low = middle;
    else high = middle;
  }
  return Math.floor(low);
}

function rowsSince(times: readonly FileTimes[], fromUs: number, range: TimeRange): number {
  const from = Math.max(fromUs, range.fromUs ?? -Infinity);
  const to = range.toUs ?? Infinity;
  let sum = 0;
  for (const [minUs, maxUs, rows] of times) {
    const length = Math.min(maxUs + 1, to) - Math.max(minUs, from);
    if (length > 0) sum += rows * (length / (maxUs + 1 - minUs));
  }
  return sum;
}
