import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import type { MadeCredential } from "#domain/identity/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { activityOf, listingOf, newOf } from "../any-credential.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { credentialBody, pageBody, tagged } from "../model.ts";
import { actorContextOf } from "../resources.ts";

export function listCredentials(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listCredentials> {
  return async ({ query }, context) =>
    pageBody(
      await deps.identity.credentials.list(actorContextOf(context), await listingOf(deps, context, query)),
      credentialBody,
    );
}

export function createCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createCredential> {
  return async ({ body }, context) => {
    const input = { ...(await newOf(deps, context, body)), scopes: body.scopes };
    void context.reply.header("cache-control", "no-store");
    const { credentials } = deps.identity;
    return answering(newCredentialBody, () =>
      body.without_secret === true
        ? credentials.createWithoutSecret(actorContextOf(context), input)
        : credentials.create(actorContextOf(context), input),
    );
  };
}

export function getCredential(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getCredential> {
  return async ({ params }, context) => {
    const credential = await deps.identity.credentials.get(actorContextOf(context), params.credential_id);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}

export function getCredentialActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getCredentialActivity> {
  return async ({ params }, context) => {
    const { id } = await deps.identity.credentials.get(actorContextOf(context), params.credential_id);
    return activityOf(deps, id);
  };
}

export function updateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.updateCredential> {
  return async ({ params, body }, context) => {
    const { name, scopes, allowed_addresses: allowedAddresses } = body;
    const change = { name, scopes, allowedAddresses };
    const ifMatch = context.request.headers["if-match"];
    const { credentials } = deps.identity;
    const { credential } = await credentials.update(actorContextOf(context), params.credential_id, change, ifMatch);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}

export function approveCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.approveCredential> {
  return async ({ params }, context) =>
    credentialBody(await deps.identity.credentials.approve(actorContextOf(context), params.credential_id));
}

export function rotateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.rotateCredential> {
  return async ({ params, body }, context) => {
    const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
    void context.reply.header("cache-control", "no-store");
    return answering(newCredentialBody, () =>
      deps.identity.credentials.rotate(actorContextOf(context), params.credential_id, overlap),
    );
  };
}

export function revokeCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.revokeCredential> {
  return async ({ params }, context) => {
    const { revokedAtMs, propagated } = await deps.identity.credentials.revoke(
      actorContextOf(context),
      params.credential_id,
    );
    return { revoked_at: isoFromMs(revokedAtMs), propagated };
  };
}

function newCredentialBody({ credential, clientSecret }: MadeCredential) {
  return { ...credentialBody(credential), client_secret: clientSecret };
}
