import type { TelemetryType } from "../columns.ts";
import type { Predicate } from "../retention/predicate.ts";

/** Work for the process that makes Parquet. Paths are absolute. */
export type CompactionJob = CompactJob | MergeJob | EraseJob;

interface Job {
  readonly type: TelemetryType;
  /** An empty folder on the disk of the telemetry directory, for the files that are made. */
  readonly outputDir: string;
  /** Attributes that queries ask for, the most asked first. */
  readonly asked: readonly string[];
}

/** NDJSON to Parquet, cut by day. */
export interface CompactJob extends Job {
  readonly kind: "compact";
  readonly inputs: readonly string[];
  /** How many rows the inputs have. */
  readonly rows: number;
  /** Done at the server's own priority. */
  readonly urgent?: boolean;
  /** No attributes get a column but `asked`: a merge chooses the others. */
  readonly askedOnly?: boolean;
}

/** Parquet files to one, or, when it is large and of many days, to one for each day. */
export interface MergeJob extends Job {
  readonly kind: "merge";
  readonly inputs: readonly MergeInput[];
  /** A file of this size that spans several days is cut by day. */
  readonly cutBytes: number;
}

/** A Parquet file without the rows that match. */
export interface EraseJob extends Job {
  readonly kind: "erase";
  readonly input: MadeFile;
  readonly predicate: Predicate;
}

export interface MergeInput {
  readonly path: string;
  readonly rows: number;
  /** Range of `timestamp`, in microseconds since the epoch, cut to ±(2^53 − 1). */
  readonly minUs: number;
  readonly maxUs: number;
  readonly promoted: readonly string[];
}

/** A Parquet file that has no place yet. */
export interface MadeFile {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Range of `timestamp`, in microseconds since the epoch. */
  readonly minUs: number;
  readonly maxUs: number;
  /** Attributes with a separate column, see `promotedColumn`. */
  readonly promoted: readonly string[];
}

/** Makes Parquet files. DuckDB must not see tenants' data in the main process, so this runs in a separate process. */
export interface CompactionRunner {
  /** @throws Error when the inputs can't be turned into files, or the process died; files may be left in `outputDir` */
  run(job: CompactionJob): Promise<readonly MadeFile[]>;
  close(): Promise<void>;
}

export interface CompactionStart {
  readonly workDir: string;
  readonly memoryBytes: number;
  readonly threads: number;
}

export type ToChild = { readonly start: CompactionStart } | { readonly job: CompactionJob };
export type FromChild = { readonly made: readonly MadeFile[] } | { readonly error: string };
