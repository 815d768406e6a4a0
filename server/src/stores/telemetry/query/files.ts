import { STORED_TABLES } from "../spool/tables.ts";
import type { QueryRequest } from "../types.ts";
import type { ParquetInput, SnapshotTable, TimeRange, WantedTables } from "../snapshot.ts";
import type { AskedTable, ChildAsk, ChildFiles, ChildTable, ParquetGroup, ScanFigures } from "./protocol.ts";

/** The most groups of Parquet files by promoted attributes. Each group is a separate part of DuckDB's plan. */
const GROUPS_MAX = 8;

/** Returns the tables that the statement reads, limited to its own times and those of the request. */
export function wantedTables(ask: ChildAsk, range: QueryRequest["range"]): WantedTables {
  const asked = STORED_TABLES.filter((name) => Object.hasOwn(ask.tables, name));
  return Object.fromEntries(asked.map((name) => [name, within(ask.tables[name] ?? {}, range ?? {})]));
}

/** Describes a query's files for the child. Paths below `directory` are relative to it. */
export function childFiles(
  present: Readonly<Record<string, SnapshotTable>>,
  ask: ChildAsk,
  options: Pick<ChildFiles, "directory" | "visible" | "onlyActor"> & { readonly range: QueryRequest["range"] },
): ChildFiles {
  const shorten = shortener(options.directory);
  const figures = { rows: 0, bytes: 0, files: 0, filesTotal: 0, unreadable: 0 };
  const tables: Record<string, ChildTable> = {};
  for (const [name, asked] of Object.entries(ask.tables)) {
    const files = present[name];
    if (files === undefined) continue;
    addFigures(figures, files);
    tables[name] = {
      parquet: groups(files.parquet, asked, shorten),
      hot: files.hot.map(({ path }) => shorten(path)),
      range: within(options.range ?? {}, files.range ?? {}),
      ...(files.kept === undefined ? {} : { kept: files.kept }),
    };
  }
  const { directory, visible, onlyActor } = options;
  return { directory, visible, onlyActor, tables, figures };
}

/** Returns the intersection of two ranges. */
export function within(a: TimeRange, b: TimeRange): TimeRange {
  const fromUs = Math.max(a.fromUs ?? -Infinity, b.fromUs ?? -Infinity);
  const toUs = Math.min(a.toUs ?? Infinity, b.toUs ?? Infinity);
  return { ...(fromUs === -Infinity ? {} : { fromUs }), ...(toUs === Infinity ? {} : { toUs }) };
}

function addFigures(sum: { -readonly [name in keyof ScanFigures]: number }, table: SnapshotTable): void {
  for (const { rows, bytes } of [...table.parquet, ...table.hot]) {
    sum.rows += rows;
    sum.bytes += bytes;
  }
  sum.files += table.parquet.length + table.hot.length;
  sum.filesTotal += table.filesTotal;
  sum.unreadable += table.unreadable ?? 0;
}

/**
 * Groups files by the requested attributes that they have as columns. If there are too many groups, the rarest columns are
 * not used.
 */
function groups(
  present: readonly ParquetInput[],
  { keys, latest }: AskedTable,
  shorten: (path: string) => string,
): ParquetGroup[] {
  // The newest files are read first, so that the engine knows early which rows are too old.
  const files = latest === undefined ? present : present.toSorted((a, b) => b.maxUs - a.maxUs);
  let used = keys.filter((key) => files.some(({ promoted }) => promoted.includes(key)));
  for (;;) {
    const byColumns = Map.groupBy(files, ({ promoted, oldSpellings = false }) =>
      JSON.stringify({ promoted: used.filter((key) => promoted.includes(key)), oldSpellings }),
    );
    if (byColumns.size <= GROUPS_MAX)
      return [...byColumns].map(([columns, group]) => ({
        ...(JSON.parse(columns) as Pick<ParquetGroup, "promoted" | "oldSpellings">),
        files: group.map(({ path }) => shorten(path)),
        ...(latest === undefined
          ? {}
          : { times: group.map(({ minUs, maxUs, rows }) => [minUs, maxUs, rows] as const) }),
      }));
    const count = (key: string): number => files.filter(({ promoted }) => promoted.includes(key)).length;
    used = used.toSorted((a, b) => count(b) - count(a)).slice(0, -1);
  }
}

function shortener(directory: string): (path: string) => string {
  const prefix = `${directory}/`;
  return (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
}
