import { answering } from "#domain/idempotency/index.ts";
import type { MadeIngestKey } from "#domain/identity/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { listingOf, newOf, revocationOf } from "../any-credential.ts";
import type { OrganizationOperation } from "../deps.ts";
import { ingestKeyBody, pageBody, tagged } from "../model.ts";
import { sendPlan } from "../plan.ts";
import { actorContextOf } from "../resources.ts";

export const listIngestKeys: OrganizationOperation<"listIngestKeys"> = async (deps, { query }, context) =>
  pageBody(
    await deps.identity.ingestKeys.list(actorContextOf(context), await listingOf(deps, context, query)),
    ingestKeyBody,
  );

export const createIngestKey: OrganizationOperation<"createIngestKey"> = async (deps, { body }, context) => {
  const { origins, requests_per_second: requestsPerSecond } = body;
  const input = { ...(await newOf(deps, context, body)), origins, requestsPerSecond };
  void context.reply.header("cache-control", "no-store");
  return answering(newIngestKeyBody, () => deps.identity.ingestKeys.create(actorContextOf(context), input));
};

export const getIngestKey: OrganizationOperation<"getIngestKey"> = async (deps, { params }, context) => {
  const key = await deps.identity.ingestKeys.get(actorContextOf(context), params.key_id);
  return tagged(context, key.etag, ingestKeyBody(key));
};

export const updateIngestKey: OrganizationOperation<"updateIngestKey"> = async (deps, { params, body }, context) => {
  const { name, allowed_addresses: allowedAddresses, resources, origins, requests_per_second } = body;
  const change = { name, allowedAddresses, resources, origins, requestsPerSecond: requests_per_second };
  const ifMatch = context.request.headers["if-match"];
  const { ingestKeys } = deps.identity;
  const { credential } = await ingestKeys.update(actorContextOf(context), params.key_id, change, ifMatch);
  return tagged(context, credential.etag, ingestKeyBody(credential));
};

export const rotateIngestKey: OrganizationOperation<"rotateIngestKey"> = async (deps, { params, body }, context) => {
  const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
  void context.reply.header("cache-control", "no-store");
  const { ingestKeys } = deps.identity;
  return answering(newIngestKeyBody, () => ingestKeys.rotate(actorContextOf(context), params.key_id, overlap));
};

export const revokeIngestKey: OrganizationOperation<"revokeIngestKey"> = async (deps, { params, query }, context) => {
  const options = revocationOf(deps, query, context);
  const { ingestKeys } = deps.identity;
  if (query.dry_run === true)
    return sendPlan(deps, context, await ingestKeys.planRevocation(actorContextOf(context), params.key_id, options));
  const { revokedAtMs, propagated } = await ingestKeys.revoke(actorContextOf(context), params.key_id, options);
  return { revoked_at: isoFromMs(revokedAtMs), propagated };
};

function newIngestKeyBody({ credential, clientSecret }: MadeIngestKey) {
  return { ...ingestKeyBody(credential), key: clientSecret };
}
