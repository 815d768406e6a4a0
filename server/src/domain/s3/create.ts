import { messageHandler } from "#domain/delivery/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { createAccess } from "./access/access.ts";
import { createBuckets } from "./buckets/index.ts";
import { eraseBucket } from "./buckets/erase.ts";
import { ConfigCache } from "./buckets/view.ts";
import type { S3Deps } from "./deps.ts";
import { KeyRing } from "./keys/index.ts";
import { lifecycleHandler, scheduleLifecycle } from "./lifecycle/job.ts";
import { createListings } from "./listings/index.ts";
import { createObjects } from "./objects/index.ts";
import { writeVersion, type NewVersion } from "./objects/version.ts";
import { scheduleTidying, tidyHandler } from "./tidy.ts";
import type { S3Domain } from "./types/index.ts";
import { createUploads } from "./uploads/index.ts";

/** The running part of the gateway that does not know HTTP. */
export interface S3 extends S3Domain {
  /** Starts lifecycle rules and the delivery of events. */
  start(): void;
  readonly trash: BucketTrash;
  /** Writes a version of a backup, in the transaction that linked its content. */
  restoreVersion(tx: Writer, restored: RestoredVersion): Promise<void>;
}

export interface RestoredVersion {
  readonly bucketId: string;
  readonly orgId: string;
  readonly version: NewVersion;
}

type Stored = { readonly id: string; readonly orgId: string };

/** The functions that the trash needs. */
interface BucketTrash {
  /** Deletes the content of a bucket for good. Returns false if locked versions stay. */
  erase(bucket: Stored, signal: AbortSignal): Promise<boolean>;
  /** Applies the rules of a bucket again. Their job ended while it was in the trash. */
  resume(tx: Writer, bucket: Stored): Promise<void>;
}

export function createS3(s3: S3Deps & { readonly clock: GuardedClock }): S3 {
  const deps = { ...s3, configs: new ConfigCache() };
  return {
    keys: new KeyRing(deps),
    access: createAccess(deps),
    buckets: createBuckets(deps),
    objects: createObjects(deps),
    listings: createListings(deps),
    uploads: createUploads(deps),
    trash: {
      erase: (bucket, signal) => eraseBucket(deps, bucket, signal),
      resume: (tx, bucket) => scheduleLifecycle(deps, tx, bucket),
    },
    restoreVersion: async (tx, { bucketId, orgId, version }) => {
      await writeVersion(deps, tx, { id: bucketId, orgId, projectId: null, name: bucketId }, version, {});
    },
    start: () => {
      deps.jobs.start([
        lifecycleHandler(deps),
        messageHandler({ ...deps, random: Math.random }, "s3"),
        tidyHandler(deps),
      ]);
      void scheduleTidying(deps);
    },
  };
}
