import type { TelemetryType } from "./columns.ts";
import type { KeptRows } from "./retention/plans.ts";
import type { SpoolTable, StoredTable } from "./spool/tables.ts";

/** A Parquet file with the columns of `COLUMNS` and one for each promoted attribute. */
export interface ParquetInput {
  /** Absolute. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** The range of `timestamp`, in microseconds since the epoch, limited to ±(2^53 − 1). */
  readonly minUs: number;
  readonly maxUs: number;
  /** The attributes that have a separate column, see `promotedColumn`. */
  readonly promoted: readonly string[];
  /** True if the severities were derived from the level names that older versions knew. */
  readonly oldSpellings?: boolean;
}

/** An NDJSON file with the members of `COLUMNS`; it never changes. */
export interface HotInput {
  /** Absolute. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The files that hold one table's rows. Every row is in exactly one of them. */
export interface SnapshotTable {
  readonly parquet: readonly ParquetInput[];
  readonly hot: readonly HotInput[];
  /** The number of the table's files, including files that were left out because of their times. */
  readonly filesTotal: number;
  /** The number of rows that are in no file because they can't be read. */
  readonly unreadable?: number;
  /** Only rows of this range are visible. The files may have others. */
  readonly range?: TimeRange;
  /** Only these rows are visible. */
  readonly kept?: KeptRows | undefined;
}

/** The rows of a table that are visible. */
export interface ShownRows extends TimeRange {
  readonly kept?: KeptRows | undefined;
}

/**
 * Rows from `fromUs` (included) to `toUs` (not included), in microseconds since the epoch. Without a bound, that side is
 * open.
 */
export interface TimeRange {
  readonly fromUs?: number | undefined;
  readonly toUs?: number | undefined;
}

/** The tables to read, each with the range of wanted rows. Other tables are not read. */
export type WantedTables = Readonly<Partial<Record<StoredTable, TimeRange>>>;

/**
 * All rows of one organization that were acknowledged at one moment. The files stay on disk until `release`, which may be
 * called more than once.
 */
export interface Snapshot {
  readonly tables: Readonly<Record<TelemetryType, SnapshotTable> & Partial<Record<SpoolTable, SnapshotTable>>>;
  readonly release: () => void;
}
