import type { BUCKET_ROUTES } from "@mooring/contract";
import { keyOfGrant } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { contentUrl } from "../content.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { bucketFor, requireAllowed, requireKey } from "../resources.ts";

const LIFETIME_S = 900;
const CONTENT_TYPE = "application/octet-stream";

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` */
export function createObjectUpload(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.createObjectUpload> {
  return async ({ params, body }, context) => {
    const found = await bucketFor(deps, context, params.app_id, "s3:write");
    const { bucket } = found;
    const { key, content_type: contentType = CONTENT_TYPE, expires_in: lifetimeS = LIFETIME_S } = body;
    requireKey(key);
    await requireAllowed(found, { action: "s3:PutObject", key });
    const atMs = deps.clock.nowMs();
    const { orgId, id: principalId } = context.principal;
    const headers = { "content-type": contentType };
    const target = deps.gateway.presign({
      method: "PUT",
      bucket: bucket.name,
      key,
      query: [],
      headers,
      ...keyOfGrant(deps.envelope, { orgId, principalId, bucketId: bucket.id }),
      atMs,
      lifetimeS,
    });
    void context.reply.header("cache-control", "no-store");
    return {
      url: `${deps.gateway.endpoint}${target}`,
      same_origin_url: contentUrl(deps.apiUrl, target),
      headers,
      expires_at: isoFromMs(atMs + lifetimeS * 1000),
    };
  };
}
