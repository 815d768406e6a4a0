import { STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import type { Table } from "../hot/table.ts";
import type { ParquetFile } from "../parquet-file.ts";

/** The size of one table: bytes of its Parquet files, and bytes of NDJSON for rows that are not in Parquet yet. */
export interface TableUsage {
  readonly rows: number;
  readonly bytes: number;
  readonly parquetBytes: number;
  readonly hotBytes: number;
  readonly files: number;
  /** The range of `timestamp` of the rows in Parquet, in microseconds since the epoch. Null when there are none. */
  readonly oldestUs: number | null;
  readonly newestUs: number | null;
  /** Attributes that have a separate column in some of the files, see `promotedColumn`. */
  readonly promoted: readonly string[];
}

/** The usage of an organization in this directory. */
export type Usage = Readonly<Record<StoredTable, TableUsage>>;

type ParquetFigures = Pick<TableUsage, "rows" | "bytes" | "oldestUs" | "newestUs" | "promoted">;

/** Cached by list. A table's list of files is never changed, only replaced. */
const figuresOf = new WeakMap<readonly ParquetFile[], ParquetFigures>();

function parquetFigures(files: readonly ParquetFile[]): ParquetFigures {
  const known = figuresOf.get(files);
  if (known !== undefined) return known;
  const sum = { rows: 0, bytes: 0, oldestUs: Number.POSITIVE_INFINITY, newestUs: Number.NEGATIVE_INFINITY };
  for (const { rows, bytes, minUs, maxUs } of files) {
    sum.rows += rows;
    sum.bytes += bytes;
    sum.oldestUs = Math.min(sum.oldestUs, minUs);
    sum.newestUs = Math.max(sum.newestUs, maxUs);
  }
  const promoted = [...new Set(files.flatMap((file) => file.promoted))].toSorted();
  const figures = files.length === 0 ? { ...sum, oldestUs: null, newestUs: null, promoted } : { ...sum, promoted };
  figuresOf.set(files, figures);
  return figures;
}

const NOTHING: TableUsage = {
  rows: 0,
  bytes: 0,
  parquetBytes: 0,
  hotBytes: 0,
  files: 0,
  oldestUs: null,
  newestUs: null,
  promoted: [],
};

export function usageOf(tables: readonly Table[]): Usage {
  const byType = new Map(tables.map((table) => [table.type, tableUsage(table)]));
  return Object.fromEntries(STORED_TABLES.map((type) => [type, byType.get(type) ?? NOTHING])) as unknown as Usage;
}

/** Runs for every request, so it must not search files. */
export function storedBytes(tables: readonly Table[]): number {
  return tables.reduce((sum, table) => sum + parquetFigures(table.parquet).bytes + table.hotBytes, 0);
}

function tableUsage(table: Table): TableUsage {
  const { rows, bytes, ...others } = parquetFigures(table.parquet);
  const { hotBytes, hotRows } = table;
  const files = table.parquet.length;
  return { rows: rows + hotRows, bytes: bytes + hotBytes, parquetBytes: bytes, hotBytes, files, ...others };
}
