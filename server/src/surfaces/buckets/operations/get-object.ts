import type { BUCKET_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { objectDetail } from "../model.ts";
import { answered, bucketFor, requireAllowed, requireKey } from "../resources.ts";

/** @throws Problem `not_found` (also for a delete marker), `forbidden` (the bucket's policy), `invalid_parameter` */
export function getObject(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.getObject> {
  return async ({ params, query }, context) => {
    const found = await bucketFor(deps, context, params.app_id, "s3:read");
    const { key, version_id: versionId } = query;
    requireKey(key);
    const action = versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion";
    await requireAllowed(found, { action, key, ...(versionId === undefined ? {} : { versionId }) });
    return objectDetail(await answered(deps.domain.objects.head(found.bucket, { key, versionId })));
  };
}
