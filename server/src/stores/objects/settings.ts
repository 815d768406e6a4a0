export interface ObjectSettings {
  /** Blobs up to this size are kept in the metadata store. */
  readonly inlineBytesMax: number;
  /**
   * Blobs without references are deleted after this time. Long enough to link staged blobs, and for readers on other
   * servers.
   */
  readonly graceMs: number;
  /** How often the collector runs; 0: only when it is called. */
  readonly collectEveryMs: number;
  /** Nothing is written to the disk while it has less free than this. */
  readonly diskFreeBytesMin: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const OBJECT_DEFAULTS: ObjectSettings = {
  inlineBytesMax: 32 * KIB,
  graceMs: 3_600_000,
  collectEveryMs: 60_000,
  diskFreeBytesMin: 128 * MIB,
};

/** Lines of the log that the store writes. */
export interface ObjectLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
