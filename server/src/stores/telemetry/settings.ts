const MIB = 1024 * 1024;

/** What an operator may set about the embedded telemetry store. */
export interface TelemetrySettings {
  /** A segment of the log is closed at this size. */
  readonly segmentBytes: number;
  /** Rows of one organization and type are moved from memory to a hot file at this size. */
  readonly hotFileBytes: number;
  /** Rows that all organizations together may have in memory. */
  readonly hotMemoryBytes: number;
  /** Appends are refused while the log is larger than this: compaction can't keep up or doesn't run. */
  readonly logBytesMax: number;
  /** Appends are refused while the disk has less than this free, so that queries and compaction can go on. */
  readonly diskFreeBytesMin: number;
  readonly compaction: CompactionSettings;
}

export interface CompactionSettings {
  /** An organization's rows of one type go to Parquet at this size. */
  readonly hotBytes: number;
  /** … or when the oldest of them is this old. */
  readonly ageMs: number;
  /** … or, the largest first, while the log is larger than this. */
  readonly logBytes: number;
  /** At most this much goes into one Parquet file. */
  readonly inputBytesMax: number;
  /** Memory limit of the process that compacts. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A compaction that takes longer is ended and tried again later. */
  readonly timeoutMs: number;
  /** How often the store looks whether something is due; 0 turns the schedule off. */
  readonly checkEveryMs: number;
}

export const TELEMETRY_DEFAULTS: TelemetrySettings = {
  segmentBytes: 64 * MIB,
  hotFileBytes: 4 * MIB,
  hotMemoryBytes: 64 * MIB,
  logBytesMax: 4096 * MIB,
  diskFreeBytesMin: 64 * MIB,
  compaction: {
    hotBytes: 16 * MIB,
    ageMs: 60_000,
    logBytes: 256 * MIB,
    inputBytesMax: 256 * MIB,
    memoryBytes: 512 * MIB,
    threads: 1,
    timeoutMs: 300_000,
    checkEveryMs: 1000,
  },
};

/** Where the store reports what an operator should know; a pino logger fits. */
export interface TelemetryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
