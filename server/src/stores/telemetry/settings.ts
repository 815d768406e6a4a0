import { RETENTION_DEFAULTS, type RetentionSettings } from "./retention/settings.ts";

const MIB = 1024 * 1024;

/** The operator's settings of the embedded telemetry store. */
export interface TelemetrySettings {
  /** A segment of the log is closed at this size. */
  readonly segmentBytes: number;
  /** Rows of one organization and type are moved from memory to a hot file at this size. */
  readonly hotFileBytes: number;
  /** Rows that all organizations together may have in memory. */
  readonly hotMemoryBytes: number;
  /** Appends are refused while the log is larger than this: compaction can't keep up or doesn't run. */
  readonly logBytesMax: number;
  /** Appends are slowed down while more than this is not in Parquet. */
  readonly backlogBytes: number;
  /** Appends are refused while the disk has less than this free, so that queries and compaction can go on. */
  readonly diskFreeBytesMin: number;
  /**
   * How long rows in Parquet stay in the log after they arrived, or after the start, for readers that continue the log.
   * It holds only up to `replayBytes`.
   */
  readonly replayMs: number;
  /** The largest log for which `replayMs` holds. */
  readonly replayBytes: number;
  readonly compaction: CompactionSettings;
  readonly retention: RetentionSettings;
  readonly merge: MergeSettings;
}

export interface CompactionSettings {
  /** An organization's rows of one type go to Parquet at this size. */
  readonly hotBytes: number;
  /** … or when the oldest of them is this old. */
  readonly ageMs: number;
  /** … or, the largest first, while the log is larger than this. */
  readonly logBytes: number;
  /** While large tables have more than this together, compaction has the server's priority and merges wait. */
  readonly behindBytes: number;
  /** At most this much goes into one job, whose memory grows with it. */
  readonly inputBytesMax: number;
  /** Memory limit of the process that compacts. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A compaction that takes longer is ended and tried again later. */
  readonly timeoutMs: number;
  /** How often the store looks whether something is due; 0 turns the schedule off. */
  readonly checkEveryMs: number;
}

/** How small Parquet files of a table become larger ones of the same day. */
export interface MergeSettings {
  /** Files of this size are left alone. */
  readonly smallBytes: number;
  /** A merge takes files until they have this size together. */
  readonly targetBytes: number;
  /**
   * While a day is not over, this many files of about the same number of rows are merged; each merge makes files this
   * many times larger.
   */
  readonly fanIn: number;
  /** The most files that are merged at once. */
  readonly inputsMax: number;
  /** A day is over so long after its end. */
  readonly graceMs: number;
  /** A day that is over and had no new file for so long is merged down even when one of its files is much larger than the others. */
  readonly quietMs: number;
  /** Memory limit of the process that merges. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A merge that takes longer is ended and tried again later. */
  readonly timeoutMs: number;
  /** How often the store looks whether something is to be merged; 0 turns the schedule off. */
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

/** Where the store reports what an operator should know; a pino logger fits. */
export interface TelemetryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
