import type { GuardedClock } from "#kernel/deletions.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openFilesystem } from "./filesystem/driver.ts";
import type { BlobDriver } from "./driver.ts";
import type { S3Options } from "./s3/index.ts";
import { scrub, type ScrubOptions, type ScrubProgress } from "./scrub/index.ts";
import { OBJECT_DEFAULTS, type ObjectLog, type ObjectSettings } from "./settings.ts";
import { blobStoreBeside, openBlobStore } from "./store.ts";
import type { ObjectsBeside, ObjectStore } from "./types.ts";

export { blobsElsewhere, objectFiles } from "./backup.ts";
export { Digester, type DigestAlgorithm, type Digests } from "./digests.ts";
export { BlobDamaged, DigestMismatch, SizeMismatch, TooLarge } from "./errors.ts";
export type { Arrival } from "./driver.ts";
export type { BlobInput } from "./source.ts";
export type {
  BlobPart,
  BlobQuery,
  BlobReader,
  ByteRange,
  Collected,
  Composed,
  DirectStore,
  ObjectHealth,
  ObjectsBeside,
  ObjectStore,
  PartRange,
  PartRangeQuery,
  PipeOptions,
  StagedBlob,
  WriteOptions,
} from "./types.ts";

export type { Finding, ReferenceColumn, ScrubProgress } from "./scrub/index.ts";
export type { S3Options } from "./s3/index.ts";

export interface ObjectOptions {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: ObjectLog;
  readonly settings?: Partial<ObjectSettings>;
  /** Stores content that is not inline in a bucket instead of the data directory. */
  readonly s3?: S3Options;
  /** The schedule of the server. Without one, the store creates its own. */
  readonly schedule?: Schedule;
  readonly metrics?: Metrics;
}

/**
 * Opens the object store. Rejects when another server has opened the data directory, or the bucket cannot be reached.
 */
export async function openObjects(options: ObjectOptions): Promise<ObjectStore> {
  const { metadata, clock, log } = options;
  const settings = { ...OBJECT_DEFAULTS, ...options.settings };
  const driver = await openDriver(options, settings, { readOnly: false });
  try {
    const seconds = options.metrics?.histogram("mooring_upload_wait_seconds");
    const waited = (ms: number): void => seconds?.observe(ms / 1000, {});
    const parts = { metadata, driver, clock, log, settings, schedule: options.schedule, waited };
    const store = await openBlobStore(parts);
    options.metrics?.read("mooring_uploads_running", () => store.uploads().running);
    options.metrics?.read("mooring_uploads_waiting", () => store.uploads().waiting);
    return store;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** Opens the object store for commands that read or unlink content, with or without a running server. */
export async function openObjectsBeside(options: ObjectOptions): Promise<ObjectsBeside> {
  const { metadata, clock, log } = options;
  const driver = await openDriver(options, OBJECT_DEFAULTS, { readOnly: true });
  return blobStoreBeside({ metadata, driver, clock, log, settings: OBJECT_DEFAULTS });
}

export type ObjectScrub = Omit<ScrubOptions, "metadata" | "driver">;

/**
 * Finds everything that is missing, altered or left over, with or without a running server. It deletes only orphans, on
 * request.
 */
export async function scrubObjects(options: ObjectOptions, what: ObjectScrub): Promise<ScrubProgress> {
  const driver = await openDriver(options, OBJECT_DEFAULTS, { readOnly: true });
  try {
    return await scrub({ ...what, metadata: options.metadata, driver });
  } finally {
    await driver.close();
  }
}

/** Returns the operations that the upstream store fails to support. */
export async function checkUpstream(s3: S3Options): Promise<string[]> {
  return (await import("./s3/index.ts")).checkUpstream(s3);
}

async function openDriver(
  { dataDir, clock, log, s3, metrics }: ObjectOptions,
  { diskFreeBytesMin }: ObjectSettings,
  { readOnly }: { readOnly: boolean },
): Promise<BlobDriver> {
  if (s3 === undefined) {
    const seconds = metrics?.histogram("mooring_fsync_duration_seconds");
    const flushed = (taken: number): void => seconds?.observe(taken, { store: "objects" });
    return openFilesystem({ dataDir, clock, log, diskFreeBytesMin, readOnly, flushed });
  }
  // The client loads slowly, and most installations never need it.
  return (await import("./s3/index.ts")).openS3(s3, { clock, log });
}
