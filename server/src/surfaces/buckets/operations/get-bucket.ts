import type { BUCKET_ROUTES } from "@mooring/contract";
import { usageOfBucket } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { bucketBody } from "../model.ts";
import { bucketFor } from "../resources.ts";

export function getBucket(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.getBucket> {
  return async ({ params }, context) => {
    const { bucket } = await bucketFor(deps, context, params.app_id, "s3:read");
    const usage = await usageOfBucket(deps.metadata.read, bucket.orgId, bucket.id);
    return bucketBody(bucket, { isPublic: deps.domain.buckets.isPublic(bucket), usage });
  };
}
