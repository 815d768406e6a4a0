import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import {
  approveAccessKey,
  createAccessKey,
  getAccessKey,
  listAccessKeys,
  revokeAccessKey,
  updateAccessKey,
  type MadeAccessKey,
} from "#domain/s3/index.ts";
import { projectFor, projectIfNamed } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { isoFromMs, msFromIso } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { activityBody, s3KeyBody, tagged } from "../model.ts";
import { pageOf } from "../query.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function listS3Keys(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listS3Keys> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project = await projectIfNamed(deps, context.principal, query.project, "credentials:read");
    const keys = await listAccessKeys(keyDepsOf(deps), actingOf(context), {
      projectId: project?.id,
      includeRevoked: query.include_revoked ?? false,
      beforeId: cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0],
      limit: limit + 1,
    });
    const items = keys.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(s3KeyBody),
      next_cursor: keys.length > limit && last !== undefined ? encodeCursor([last.id]) : null,
    };
  };
}

export function createS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createS3Key> {
  return async ({ body }, context) => {
    const named = body.project ?? null;
    const project = named === null ? null : await projectFor(deps, context.principal, named, "credentials:write");
    const { name, scopes, buckets, prefix, read_only: readOnly, expires_at: expiresAt } = body;
    const expiresAtMs = expiresAt === undefined || expiresAt === null ? null : msFromIso(expiresAt);
    const projectId = project?.id ?? null;
    const { allowed_addresses: allowedAddresses } = body;
    const input = { name, projectId, scopes, buckets, prefix, readOnly, expiresAtMs, allowedAddresses };
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ key, secret }: MadeAccessKey) => ({ ...s3KeyBody(key), secret_access_key: secret }),
      () => createAccessKey(keyDepsOf(deps), actingOf(context), input),
    );
  };
}

export function getS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getS3Key> {
  return async ({ params }, context) => {
    const key = await getAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    return tagged(context, key.etag, s3KeyBody(key));
  };
}

export function getS3KeyActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getS3KeyActivity> {
  return async ({ params }, context) => {
    const { id } = await getAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    await deps.identity.activity.flush(); // of this node nothing is missing: what was just done is what one looks for
    return activityBody(await deps.identity.activity.ofCredential(id));
  };
}

export function updateS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateS3Key> {
  return async ({ params, body }, context) => {
    const { name, allowed_addresses: allowedAddresses } = body;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
    };
    const ifMatch = context.request.headers["if-match"];
    const key = await updateAccessKey(keyDepsOf(deps), actingOf(context), params.key_id, change, ifMatch);
    return tagged(context, key.etag, s3KeyBody(key));
  };
}

export function approveS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.approveS3Key> {
  return async ({ params }, context) =>
    s3KeyBody(await approveAccessKey(keyDepsOf(deps), actingOf(context), params.key_id));
}

export function revokeS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.revokeS3Key> {
  return async ({ params }, context) => {
    const { revokedAtMs } = await revokeAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    return { revoked_at: isoFromMs(revokedAtMs ?? deps.clock.nowMs()) };
  };
}
