import { answering } from "#domain/idempotency/index.ts";
import type { MadeS3Key } from "#domain/identity/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { activityOf, listingOf, newOf, revocationOf } from "../any-credential.ts";
import type { OrganizationOperation } from "../deps.ts";
import { pageBody, s3KeyBody, tagged } from "../model.ts";
import { sendPlan } from "../plan.ts";
import { actorContextOf } from "../resources.ts";

export const listS3Keys: OrganizationOperation<"listS3Keys"> = async (deps, { query }, context) =>
  pageBody(await deps.identity.s3Keys.list(actorContextOf(context), await listingOf(deps, context, query)), s3KeyBody);

export const createS3Key: OrganizationOperation<"createS3Key"> = async (deps, { body }, context) => {
  const { scopes, buckets, prefix, read_only: readOnly } = body;
  const input = { ...(await newOf(deps, context, body)), scopes, buckets, prefix, readOnly };
  void context.reply.header("cache-control", "no-store");
  return answering(newS3KeyBody, () => deps.identity.s3Keys.create(actorContextOf(context), input));
};

export const getS3Key: OrganizationOperation<"getS3Key"> = async (deps, { params }, context) => {
  const key = await deps.identity.s3Keys.get(actorContextOf(context), params.key_id);
  return tagged(context, key.etag, s3KeyBody(key));
};

export const getS3KeyActivity: OrganizationOperation<"getS3KeyActivity"> = async (deps, { params }, context) => {
  const { id } = await deps.identity.s3Keys.get(actorContextOf(context), params.key_id);
  return activityOf(deps, id);
};

export const updateS3Key: OrganizationOperation<"updateS3Key"> = async (deps, { params, body }, context) => {
  const { name, allowed_addresses: allowedAddresses, resources } = body;
  const change = { name, allowedAddresses, resources };
  const ifMatch = context.request.headers["if-match"];
  const { credential } = await deps.identity.s3Keys.update(actorContextOf(context), params.key_id, change, ifMatch);
  return tagged(context, credential.etag, s3KeyBody(credential));
};

export const approveS3Key: OrganizationOperation<"approveS3Key"> = async (deps, { params }, context) =>
  s3KeyBody(await deps.identity.s3Keys.approve(actorContextOf(context), params.key_id));

export const adoptS3Key: OrganizationOperation<"adoptS3Key"> = async (deps, { params }, context) => {
  const { credential } = await deps.identity.s3Keys.adopt(actorContextOf(context), params.key_id);
  return tagged(context, credential.etag, s3KeyBody(credential));
};

export const rotateS3Key: OrganizationOperation<"rotateS3Key"> = async (deps, { params, body }, context) => {
  const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
  void context.reply.header("cache-control", "no-store");
  const { s3Keys } = deps.identity;
  return answering(newS3KeyBody, () => s3Keys.rotate(actorContextOf(context), params.key_id, overlap));
};

export const revokeS3Key: OrganizationOperation<"revokeS3Key"> = async (deps, { params, query }, context) => {
  const options = revocationOf(deps, query, context);
  const { s3Keys } = deps.identity;
  if (query.dry_run === true)
    return sendPlan(deps, context, await s3Keys.planRevocation(actorContextOf(context), params.key_id, options));
  const { revokedAtMs } = await s3Keys.revoke(actorContextOf(context), params.key_id, options);
  return { revoked_at: isoFromMs(revokedAtMs) };
};

function newS3KeyBody({ key, secret }: MadeS3Key) {
  return { ...s3KeyBody(key), secret_access_key: secret };
}
