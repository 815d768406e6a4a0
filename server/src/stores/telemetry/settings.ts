import { RETENTION_DEFAULTS, type RetentionSettings } from "./retention/settings.ts";

const MIB = 1024 * 1024;

/** The operator's settings of the embedded telemetry store. */
export interface TelemetrySettings {
  /** A segment of the log is closed at this size. */
  readonly segmentBytes: number;
  /** Rows of one organization and type move from memory to a hot file at this size. */
  readonly hotFileBytes: number;
  /** Rows that all organizations together may have in memory. */
  readonly hotMemoryBytes: number;
  /** Appends are refused while the log is larger than this, because compaction is too slow or does not run. */
  readonly logBytesMax: number;
  /** Appends are delayed while more than this is not in Parquet. */
  readonly backlogBytes: number;
  /** Appends are refused while the disk has less than this free, so that queries and compaction can continue. */
  readonly diskFreeBytesMin: number;
  /**
   * How long rows in Parquet stay in the log for readers that continue the feed. Counted from the arrival of the rows, or
   * from the start. Only while the log is smaller than `replayBytes`.
   */
  readonly replayMs: number;
  /** The largest log for which `replayMs` holds. */
  readonly replayBytes: number;
  readonly compaction: CompactionSettings;
  readonly retention: RetentionSettings;
  readonly merge: MergeSettings;
}

export interface CompactionSettings {
  /** An organization's rows of one type are compacted at this size. */
  readonly hotBytes: number;
  /** They are also compacted when the oldest of them is this old. */
  readonly ageMs: number;
  /** While the log is larger than this, the largest tables are compacted too. */
  readonly logBytes: number;
  /** While large tables have more than this together, compaction has the server's priority, and merges wait. */
  readonly behindBytes: number;
  /** The most bytes of rows for one job. Its memory grows with them. */
  readonly inputBytesMax: number;
  /** The memory limit of the compaction process. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A compaction that takes longer is ended and retried later. */
  readonly timeoutMs: number;
  /** How often the store looks for due compactions. 0 turns this off. */
  readonly checkEveryMs: number;
}

/** Settings for merging a table's small Parquet files into larger ones of the same day. */
export interface MergeSettings {
  /** Files of this size or larger are not merged. */
  readonly smallBytes: number;
  /** A merge takes files until their total size is this. */
  readonly targetBytes: number;
  /** Until a day is over, this many files with similar numbers of rows are merged into one. */
  readonly fanIn: number;
  /** The most files that are merged at once. */
  readonly inputsMax: number;
  /** A day counts as over this long after its end. */
  readonly graceMs: number;
  /**
   * A day that is over is merged completely when it had no new file for this long, even if one file is much larger than the
   * others.
   */
  readonly quietMs: number;
  /** The memory limit of the process that merges. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A merge that takes longer is ended and retried later. */
  readonly timeoutMs: number;
  /** How often the store looks for due merges. 0 turns this off. */
  readonly checkEveryMs: number;
}

export const TELEMETRY_DEFAULTS: TelemetrySettings = {
  segmentBytes: 64 * MIB,
  hotFileBytes: 4 * MIB,
  hotMemoryBytes: 64 * MIB,
  logBytesMax: 4096 * MIB,
  backlogBytes: 512 * MIB,
  diskFreeBytesMin: 64 * MIB,
  replayMs: 60_000,
  replayBytes: 128 * MIB,
  retention: RETENTION_DEFAULTS,
  compaction: {
    hotBytes: 16 * MIB,
    ageMs: 60_000,
    logBytes: 256 * MIB,
    behindBytes: 64 * MIB,
    inputBytesMax: 24 * MIB,
    memoryBytes: 512 * MIB,
    threads: 1,
    timeoutMs: 300_000,
    checkEveryMs: 1000,
  },
  merge: {
    smallBytes: 64 * MIB,
    targetBytes: 128 * MIB,
    fanIn: 8,
    inputsMax: 256,
    graceMs: 900_000,
    quietMs: 3_600_000,
    memoryBytes: 320 * MIB,
    threads: 1,
    timeoutMs: 1_800_000,
    checkEveryMs: 5000,
  },
};

/** The interface of the store's logger. A pino logger has it. */
export interface TelemetryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
