import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import type { MadeS3Key } from "#domain/identity/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { activityOf, listingOf, newOf } from "../any-credential.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { pageBody, s3KeyBody, tagged } from "../model.ts";
import { actorContextOf } from "../resources.ts";

export function listS3Keys(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listS3Keys> {
  return async ({ query }, context) =>
    pageBody(
      await deps.identity.s3Keys.list(actorContextOf(context), await listingOf(deps, context, query)),
      s3KeyBody,
    );
}

export function createS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createS3Key> {
  return async ({ body }, context) => {
    const { scopes, buckets, prefix, read_only: readOnly } = body;
    const input = { ...(await newOf(deps, context, body)), scopes, buckets, prefix, readOnly };
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ key, secret }: MadeS3Key) => ({ ...s3KeyBody(key), secret_access_key: secret }),
      () => deps.identity.s3Keys.create(actorContextOf(context), input),
    );
  };
}

export function getS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getS3Key> {
  return async ({ params }, context) => {
    const key = await deps.identity.s3Keys.get(actorContextOf(context), params.key_id);
    return tagged(context, key.etag, s3KeyBody(key));
  };
}

export function getS3KeyActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getS3KeyActivity> {
  return async ({ params }, context) => {
    const { id } = await deps.identity.s3Keys.get(actorContextOf(context), params.key_id);
    return activityOf(deps, id);
  };
}

export function updateS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateS3Key> {
  return async ({ params, body }, context) => {
    const { name, allowed_addresses: allowedAddresses } = body;
    const change = { name, allowedAddresses };
    const ifMatch = context.request.headers["if-match"];
    const { credential } = await deps.identity.s3Keys.update(actorContextOf(context), params.key_id, change, ifMatch);
    return tagged(context, credential.etag, s3KeyBody(credential));
  };
}

export function approveS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.approveS3Key> {
  return async ({ params }, context) =>
    s3KeyBody(await deps.identity.s3Keys.approve(actorContextOf(context), params.key_id));
}

export function revokeS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.revokeS3Key> {
  return async ({ params }, context) => {
    const { revokedAtMs } = await deps.identity.s3Keys.revoke(actorContextOf(context), params.key_id);
    return { revoked_at: isoFromMs(revokedAtMs) };
  };
}
