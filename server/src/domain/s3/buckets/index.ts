import type { S3Deps } from "../deps.ts";
import type { S3Buckets } from "../types.ts";
import { createBucket, deleteBucket, findBucket, listBuckets } from "./buckets.ts";
import { configureBucket, isPublicBucket, setVersioning } from "./configure.ts";
import { displayNames } from "./store.ts";
import { ConfigCache } from "./view.ts";

export function createBuckets(s3: S3Deps): S3Buckets {
  const deps = { ...s3, configs: new ConfigCache() };
  return {
    find: (principal, name) => findBucket(deps, principal, name),
    list: (principal, page) => listBuckets(deps, principal, page),
    create: (caller, options) => createBucket(deps, caller, options),
    delete: (caller, bucket) => deleteBucket(deps, caller, bucket),
    configure: (caller, bucket, change) => configureBucket(deps, caller, bucket, change),
    setVersioning: (caller, bucket, state) => setVersioning(deps, caller, bucket, state),
    displayNames: (bucket, userIds) => displayNames(s3.metadata.read, bucket.orgId, userIds),
    isPublic: isPublicBucket,
  };
}
