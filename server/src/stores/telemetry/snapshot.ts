import type { TelemetryType } from "./columns.ts";

/** A Parquet file with the columns of `COLUMNS` and one for each promoted attribute. */
export interface ParquetInput {
  /** Absolute. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Range of `timestamp`, in microseconds since the epoch, cut to ±(2^53 − 1). */
  readonly minUs: number;
  readonly maxUs: number;
  /** Attributes with a separate column, see `promotedColumn`. */
  readonly promoted: readonly string[];
  /** Its severities were derived by older spellings of levels. */
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
  /** How many files the table has, with those that were left out because of their times. */
  readonly filesTotal: number;
  /** Rows that are in no file, since they can't be read. */
  readonly unreadable?: number;
  /** Only rows of this range count: others may be in the files, and are not to be shown. */
  readonly range?: TimeRange;
}

/**
 * Rows from `fromUs` (included) to `toUs` (not included), in microseconds since the epoch; an absent bound is no limit.
 */
export interface TimeRange {
  readonly fromUs?: number | undefined;
  readonly toUs?: number | undefined;
}

/** Tables to read, each with the range of wanted rows; other tables are not read. */
export type WantedTables = Readonly<Partial<Record<TelemetryType, TimeRange>>>;

/**
 * Everything that one organization had acknowledged at one moment. Its files stay on disk until `release`,
 * which may be called more than once.
 */
export interface Snapshot {
  readonly tables: Readonly<Record<TelemetryType, SnapshotTable>>;
  readonly release: () => void;
}
