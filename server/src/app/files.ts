import {
  createArrivals,
  createPresignedUrls,
  startCleanUp,
  UploadRoom,
  type Arrivals,
  type FilesDeps,
} from "#domain/files/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { WorkLog } from "#kernel/work-log.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Config } from "./config.ts";

export interface Files {
  /** What the surface needs. */
  readonly deps: FilesDeps & { readonly arrivals: Arrivals | null };
  /** Begins to take away uploads that were never made. */
  start(): void;
  stop(): Promise<void>;
}

export function createFiles(options: {
  readonly config: Pick<
    Config,
    | "files_size_bytes_max"
    | "files_stored_bytes_max"
    | "files_trash_days"
    | "presigned_url_lifetime_s"
    | "resumable_upload_lifetime_s"
    | "upload_cleanup_ms"
  >;
  readonly storageUrl: string;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly clock: GuardedClock;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Pick<Identity, "envelope">;
  readonly work: WorkLog;
}): Files {
  const { config, storageUrl, log, clock, metadata, objects, identity } = options;
  const settings = {
    sizeBytesMax: config.files_size_bytes_max,
    urlLifetimeS: config.presigned_url_lifetime_s,
    resumableLifetimeS: config.resumable_upload_lifetime_s,
    storedBytesMax: config.files_stored_bytes_max,
    trashDays: config.files_trash_days,
  };
  const urls = createPresignedUrls({ storageUrl, envelope: identity.envelope });
  const deps = { metadata, objects, clock, urls, storageUrl, settings, room: new UploadRoom() };
  const arrivals = createArrivals({ ...deps, log });
  let stop: (() => Promise<void>) | undefined;
  return {
    deps: { ...deps, arrivals },
    start: () => {
      stop = startCleanUp({ metadata, objects, clock, log, arrivals, work: options.work }, config.upload_cleanup_ms);
    },
    stop: async () => stop?.(),
  };
}
