import type { BUCKET_ROUTES } from "@mooring/contract";
import { keyOfGrant } from "#domain/s3/index.ts";
import { attachmentOf, type Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { answered, bucketFor, requireAllowed, requireKey } from "../resources.ts";

const LIFETIME_S = 900;

/** @throws Problem `not_found` (also for a delete marker), `forbidden` (the bucket's policy), `invalid_parameter` */
export function createObjectLink(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.createObjectLink> {
  return async ({ params, body }, context) => {
    const found = await bucketFor(deps, context, params.app_id, "s3:read");
    const { bucket } = found;
    const { key, version_id: versionId, expires_in: lifetimeS = LIFETIME_S } = body;
    requireKey(key);
    const version = versionId === undefined ? {} : { versionId };
    await requireAllowed(found, {
      action: versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion",
      key,
      ...version,
    });
    await answered(deps.domain.objects.head(bucket, { key, versionId }));
    const filename = key.split("/").findLast((segment) => segment !== "") ?? bucket.name;
    const atMs = deps.clock.nowMs();
    const { orgId, id: principalId } = context.principal;
    const target = deps.gateway.presign({
      method: "GET",
      bucket: bucket.name,
      key,
      query: [
        { name: "response-content-disposition", value: attachmentOf(filename) },
        ...(versionId === undefined ? [] : [{ name: "versionId", value: versionId }]),
      ],
      ...keyOfGrant(deps.envelope, { orgId, principalId, bucketId: bucket.id }),
      atMs,
      lifetimeS,
    });
    void context.reply.header("cache-control", "no-store");
    return { url: `${deps.gateway.endpoint}${target}`, filename, expires_at: isoFromMs(atMs + lifetimeS * 1000) };
  };
}
