import type { S3Buckets } from "../types/index.ts";
import { createBucket, deleteBucket, findBucket, listBuckets, type BucketDeps } from "./buckets.ts";
import { configureBucket, isPublicBucket, setVersioning } from "./configure.ts";
import { listsEverybody, requireReachedByEverybody } from "../access/everybody.ts";
import { displayNames } from "./store.ts";

export function createBuckets(deps: BucketDeps): S3Buckets {
  return {
    find: (principal, name) => findBucket(deps, principal, name),
    list: (principal, page) => listBuckets(deps, principal, page),
    create: (caller, options) => createBucket(deps, caller, options),
    delete: (caller, bucket) => deleteBucket(deps, caller, bucket),
    configure: (caller, bucket, change) => configureBucket(deps, caller, bucket, change),
    setVersioning: (caller, bucket, state) => setVersioning(deps, caller, bucket, state),
    displayNames: (bucket, userIds) => displayNames(deps.metadata.read, bucket.orgId, userIds),
    isPublic: isPublicBucket,
    requireReached: async (bucket, acl) => {
      if (listsEverybody(acl)) await requireReachedByEverybody(deps, bucket);
    },
  };
}
