import { answering } from "#domain/idempotency/index.ts";
import type { MadeCredential } from "#domain/identity/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { activityOf, listingOf, newOf, revocationOf } from "../any-credential.ts";
import type { OrganizationOperation } from "../deps.ts";
import { credentialBody, pageBody, tagged } from "../model.ts";
import { sendPlan } from "../plan.ts";
import { actorContextOf } from "../resources.ts";

export const listCredentials: OrganizationOperation<"listCredentials"> = async (deps, { query }, context) =>
  pageBody(
    await deps.identity.credentials.list(actorContextOf(context), await listingOf(deps, context, query)),
    credentialBody,
  );

export const createCredential: OrganizationOperation<"createCredential"> = async (deps, { body }, context) => {
  const input = { ...(await newOf(deps, context, body)), scopes: body.scopes };
  void context.reply.header("cache-control", "no-store");
  const { credentials } = deps.identity;
  return answering(newCredentialBody, () =>
    body.without_secret === true
      ? credentials.createWithoutSecret(actorContextOf(context), input)
      : credentials.create(actorContextOf(context), input),
  );
};

export const getCredential: OrganizationOperation<"getCredential"> = async (deps, { params }, context) => {
  const credential = await deps.identity.credentials.get(actorContextOf(context), params.credential_id);
  return tagged(context, credential.etag, credentialBody(credential));
};

export const getCredentialActivity: OrganizationOperation<"getCredentialActivity"> = async (
  deps,
  { params },
  context,
) => {
  const { id } = await deps.identity.credentials.get(actorContextOf(context), params.credential_id);
  return activityOf(deps, id);
};

export const updateCredential: OrganizationOperation<"updateCredential"> = async (deps, { params, body }, context) => {
  const { name, scopes, allowed_addresses: allowedAddresses, resources } = body;
  const change = { name, scopes, allowedAddresses, resources };
  const ifMatch = context.request.headers["if-match"];
  const { credentials } = deps.identity;
  const { credential } = await credentials.update(actorContextOf(context), params.credential_id, change, ifMatch);
  return tagged(context, credential.etag, credentialBody(credential));
};

export const approveCredential: OrganizationOperation<"approveCredential"> = async (deps, { params }, context) =>
  credentialBody(await deps.identity.credentials.approve(actorContextOf(context), params.credential_id));

export const adoptCredential: OrganizationOperation<"adoptCredential"> = async (deps, { params }, context) => {
  const { credential } = await deps.identity.credentials.adopt(actorContextOf(context), params.credential_id);
  return tagged(context, credential.etag, credentialBody(credential));
};

export const rotateCredential: OrganizationOperation<"rotateCredential"> = async (deps, { params, body }, context) => {
  const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
  void context.reply.header("cache-control", "no-store");
  return answering(newCredentialBody, () =>
    deps.identity.credentials.rotate(actorContextOf(context), params.credential_id, overlap),
  );
};

export const revokeCredential: OrganizationOperation<"revokeCredential"> = async (deps, { params, query }, context) => {
  const options = revocationOf(deps, query, context);
  const { credentials } = deps.identity;
  if (query.dry_run === true)
    return sendPlan(
      deps,
      context,
      await credentials.planRevocation(actorContextOf(context), params.credential_id, options),
    );
  const { revokedAtMs, propagated } = await credentials.revoke(actorContextOf(context), params.credential_id, options);
  return { revoked_at: isoFromMs(revokedAtMs), propagated };
};

function newCredentialBody({ credential, clientSecret }: MadeCredential) {
  return { ...credentialBody(credential), client_secret: clientSecret };
}
