import type { TelemetryType } from "./columns.ts";

/** The files that hold one table's rows, as absolute paths. Every row is in exactly one of them. */
export interface SnapshotTable {
  /** Parquet files with the columns of `COLUMNS`. */
  readonly parquet: readonly string[];
  /** NDJSON files with the members of `COLUMNS`; they never change. */
  readonly hot: readonly string[];
}

/**
 * Everything that one organization had acknowledged at one moment. Its files stay on disk until `release`,
 * which may be called more than once.
 */
export interface Snapshot {
  readonly tables: Readonly<Record<TelemetryType, SnapshotTable>>;
  readonly release: () => void;
}
