import {
  createArrivals,
  createPresignedUrls,
  startCleanUp,
  UploadReservations,
  type Arrivals,
  type FilesDeps,
} from "#domain/files/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Config } from "./config.ts";

export interface Files {
  /** Dependencies of the surface. */
  readonly deps: FilesDeps & { readonly arrivals: Arrivals | null };
  /** Starts to delete expired uploads. */
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
  readonly schedule: Schedule;
  readonly freeBytes: () => Promise<number>;
}): Files {
  const { config, storageUrl, log, clock, metadata, objects, identity, schedule, freeBytes } = options;
  const settings = {
    sizeBytesMax: config.files_size_bytes_max,
    urlLifetimeS: config.presigned_url_lifetime_s,
    resumableLifetimeS: config.resumable_upload_lifetime_s,
    storedBytesMax: config.files_stored_bytes_max,
    trashDays: config.files_trash_days,
  };
  const urls = createPresignedUrls({ storageUrl, envelope: identity.envelope });
  const reservations = new UploadReservations();
  const deps = { metadata, objects, clock, urls, storageUrl, settings, reservations, freeBytes };
  const arrivals = createArrivals({ ...deps, log });
  let cleanUp: ScheduledWork | undefined;
  return {
    deps: { ...deps, arrivals },
    start: () => {
      cleanUp = startCleanUp({ metadata, objects, clock, log, arrivals, schedule }, config.upload_cleanup_ms);
    },
    stop: async () => cleanUp?.stop(),
  };
}
