import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openFilesystem } from "./filesystem/driver.ts";
import { OBJECT_DEFAULTS, type ObjectLog, type ObjectSettings } from "./settings.ts";
import { openBlobStore } from "./store.ts";
import type { ObjectStore } from "./types.ts";

export { DIGEST_ALGORITHMS, Digester, type DigestAlgorithm, type Digests } from "./digests.ts";
export { BlobDamaged, DigestMismatch, SizeMismatch, TooLarge } from "./errors.ts";
export type { BlobInput } from "./source.ts";
export type {
  BlobPart,
  BlobReader,
  ByteRange,
  Collected,
  Composed,
  ObjectHealth,
  ObjectStore,
  PartRange,
  PipeOptions,
  StagedBlob,
  WriteOptions,
} from "./types.ts";

export interface ObjectOptions {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: ObjectLog;
  readonly settings?: Partial<ObjectSettings>;
}

/** Opens the objects of a data directory. Rejects when another server has them open. */
export async function openObjects({
  dataDir,
  metadata,
  clock,
  log,
  settings: given = {},
}: ObjectOptions): Promise<ObjectStore> {
  const settings = { ...OBJECT_DEFAULTS, ...given };
  const driver = await openFilesystem({ dataDir, clock, log, diskFreeBytesMin: settings.diskFreeBytesMin });
  try {
    return await openBlobStore({ metadata, driver, clock, log, settings });
  } catch (error) {
    await driver.close();
    throw error;
  }
}
