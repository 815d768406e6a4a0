import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import type { MadeCredential } from "#domain/identity/index.ts";
import { projectFor, projectIfNamed } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { isoFromMs, msFromIso } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { activityBody, credentialBody, tagged } from "../model.ts";
import { pageOf } from "../query.ts";
import { actingOf } from "../resources.ts";

export function listCredentials(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listCredentials> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project = await projectIfNamed(deps, context.principal, query.project, "credentials:read");
    const { items, next } = await deps.identity.credentials.list(actingOf(context), {
      limit,
      includeRevoked: query.include_revoked ?? false,
      ...(project === undefined ? {} : { projectId: project.id }),
      ...(cursor === undefined ? {} : { after: positionOf(cursor) }),
    });
    return {
      items: items.map(credentialBody),
      next_cursor: next === null || next === undefined ? null : encodeCursor([next.createdAtMs, next.id]),
    };
  };
}

function positionOf(cursor: string): { createdAtMs: number; id: string } {
  const [createdAtMs, id] = decodeCursor(cursor, ["number", "string"]);
  return { createdAtMs, id };
}

export function createCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createCredential> {
  return async ({ body }, context) => {
    const named = body.project ?? null;
    const project = named === null ? null : await projectFor(deps, context.principal, named, "credentials:write");
    const input = {
      projectId: project?.id ?? null,
      name: body.name,
      scopes: body.scopes,
      expiresAtMs: body.expires_at === undefined || body.expires_at === null ? null : msFromIso(body.expires_at),
      allowedAddresses: body.allowed_addresses ?? null,
    };
    void context.reply.header("cache-control", "no-store");
    const { credentials } = deps.identity;
    return answering(
      ({ credential, clientSecret }: MadeCredential) => ({
        ...credentialBody(credential),
        client_secret: clientSecret,
      }),
      () =>
        body.without_secret === true
          ? credentials.createWithoutSecret(actingOf(context), input)
          : credentials.create(actingOf(context), input),
    );
  };
}

export function getCredential(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getCredential> {
  return async ({ params }, context) => {
    const credential = await deps.identity.credentials.get(actingOf(context), params.credential_id);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}

export function getCredentialActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getCredentialActivity> {
  return async ({ params }, context) => {
    const { id } = await deps.identity.credentials.get(actingOf(context), params.credential_id);
    await deps.identity.activity.flush(); // of this node nothing is missing: what was just done is what one looks for
    return activityBody(await deps.identity.activity.ofCredential(id));
  };
}

export function updateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.updateCredential> {
  return async ({ params, body }, context) => {
    const { allowed_addresses: allowedAddresses, ...rest } = body;
    const change = { ...rest, ...(allowedAddresses === undefined ? {} : { allowedAddresses }) };
    const ifMatch = context.request.headers["if-match"];
    const { credentials } = deps.identity;
    const { credential } = await credentials.update(actingOf(context), params.credential_id, change, ifMatch);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}

export function approveCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.approveCredential> {
  return async ({ params }, context) =>
    credentialBody(await deps.identity.credentials.approve(actingOf(context), params.credential_id));
}

export function rotateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.rotateCredential> {
  return async ({ params, body }, context) => {
    const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ credential, clientSecret }: MadeCredential) => ({
        ...credentialBody(credential),
        client_secret: clientSecret,
      }),
      () => deps.identity.credentials.rotate(actingOf(context), params.credential_id, overlap),
    );
  };
}

export function revokeCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.revokeCredential> {
  return async ({ params }, context) => {
    const { revokedAtMs, propagated } = await deps.identity.credentials.revoke(actingOf(context), params.credential_id);
    return { revoked_at: isoFromMs(revokedAtMs), propagated };
  };
}
