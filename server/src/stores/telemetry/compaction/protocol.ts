import type { StoredTable } from "../spool/tables.ts";
import type { KeptRows } from "../retention/plans.ts";
import type { Predicate } from "../retention/predicate.ts";

/** A job for the process that writes Parquet. Paths are absolute. */
export type CompactionJob = CompactJob | MergeJob | EraseJob;

interface Job {
  readonly type: StoredTable;
  /** An empty folder for the new files, on the disk of the telemetry directory. */
  readonly outputDir: string;
  /** Attributes that queries use, the most used one first. */
  readonly asked: readonly string[];
}

/** Converts NDJSON to Parquet, cut by day. */
export interface CompactJob extends Job {
  readonly kind: "compact";
  readonly inputs: readonly string[];
  /** Number of rows in the inputs. */
  readonly rows: number;
  /** Runs at the server's own priority. */
  readonly urgent?: boolean;
  /** Only attributes in `asked` get a column. A merge chooses the others. */
  readonly askedOnly?: boolean;
}

/** Merges Parquet files to one, or to one for each day when the result is large and spans several days. */
export interface MergeJob extends Job {
  readonly kind: "merge";
  readonly inputs: readonly MergeInput[];
  /** A file of this size that spans several days is cut by day. */
  readonly cutBytes: number;
}

/** Copies a Parquet file without the rows that match. */
export interface EraseJob extends Job {
  readonly kind: "erase";
  readonly input: MadeFile;
  readonly predicate: Predicate;
  /** Instead of `predicate`: rows that these rules of retention do not keep. */
  readonly past?: KeptRows;
  /** If a smaller share of the rows matches, the file stays. */
  readonly shareMin?: number;
}

export interface MergeInput {
  readonly path: string;
  readonly rows: number;
  /** Range of `timestamp`, in microseconds since the epoch, limited to ±(2^53 − 1). */
  readonly minUs: number;
  readonly maxUs: number;
  readonly promoted: readonly string[];
}

/** A new Parquet file before it is moved to its place. */
export interface MadeFile {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Range of `timestamp`, in microseconds since the epoch. */
  readonly minUs: number;
  readonly maxUs: number;
  /** Attributes with a separate column; see `promotedColumn`. */
  readonly promoted: readonly string[];
  /** The number of rows of an erasure that stay in the file without some columns. */
  readonly cleared?: number;
}

/**
 * Creates Parquet files. DuckDB must not process tenants' data in the main process, so this runs in a separate process.
 */
export interface CompactionRunner {
  /** @throws Error when the inputs cannot be converted, or the process died; files may be left in `outputDir` */
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
