import { createAccess } from "./access/access.ts";
import { createBuckets } from "./buckets/index.ts";
import type { S3Deps } from "./deps.ts";
import { KeyRing } from "./keys/index.ts";
import { createListings } from "./listings/index.ts";
import { createObjects } from "./objects/index.ts";
import type { S3Domain } from "./types.ts";
import { createUploads } from "./uploads/index.ts";

/** The gateway's side behind its wire, running. */
export interface S3 extends S3Domain {
  /** Writes down what is kept in memory. */
  stop(): Promise<void>;
}

export function createS3(deps: S3Deps): S3 {
  const keys = new KeyRing(deps);
  return {
    keys,
    access: createAccess(deps),
    buckets: createBuckets(deps),
    objects: createObjects(deps),
    listings: createListings(deps),
    uploads: createUploads(deps),
    stop: () => keys.flush(),
  };
}
