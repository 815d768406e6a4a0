import { UPLOAD_WAIT_MS, UPLOADS_ORGANIZATION_MAX } from "#kernel/limits.ts";

export interface ObjectSettings {
  /** Blobs up to this size are stored in the metadata store. */
  readonly inlineBytesMax: number;
  /**
   * How long blobs without references are kept. It must be long enough to link a staged blob, and for readers on other
   * servers.
   */
  readonly graceMs: number;
  /** The interval of the collector; 0: it runs only when it is called. */
  readonly collectEveryMs: number;
  /** Writes to the disk are refused while it has less free space than this. */
  readonly diskFreeBytesMin: number;
  /** Uploads of one organization at once. */
  readonly uploadsOrganizationMax: number;
  /** The longest wait of an upload for others of its organization. */
  readonly uploadWaitMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const OBJECT_DEFAULTS: ObjectSettings = {
  inlineBytesMax: 32 * KIB,
  graceMs: 3_600_000,
  collectEveryMs: 60_000,
  diskFreeBytesMin: 128 * MIB,
  uploadsOrganizationMax: UPLOADS_ORGANIZATION_MAX,
  uploadWaitMs: UPLOAD_WAIT_MS,
};

export interface ObjectLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
