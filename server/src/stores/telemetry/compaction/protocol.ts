import type { TelemetryType } from "../columns.ts";

/** One Parquet file to be made from NDJSON files. Paths are absolute. */
export interface CompactionJob {
  readonly type: TelemetryType;
  readonly inputs: readonly string[];
  /** Where to write it; must not exist. */
  readonly output: string;
}

export interface CompactionResult {
  readonly rows: number;
  readonly bytes: number;
  /** Range of `timestamp`, in microseconds since the epoch. */
  readonly minUs: number;
  readonly maxUs: number;
}

/** Makes Parquet files. DuckDB must not see tenants' data in the main process, so this is a process of its own. */
export interface CompactionRunner {
  /** @throws Error when the inputs can't be turned into a file, or the process died */
  run(job: CompactionJob): Promise<CompactionResult>;
  close(): Promise<void>;
}

export interface CompactionStart {
  readonly workDir: string;
  readonly memoryBytes: number;
  readonly threads: number;
}

export type ToChild = { readonly start: CompactionStart } | { readonly job: CompactionJob };
export type FromChild = { readonly result: CompactionResult } | { readonly error: string };
