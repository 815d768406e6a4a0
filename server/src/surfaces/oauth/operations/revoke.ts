import type { Identity, VerifiedToken } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { clientOf } from "../client.ts";
import { NO_STORE, OauthError, type Answer } from "../errors.ts";
import type { OauthOperation } from "../model.ts";
import { requireParameter } from "../wire/form.ts";

const DONE: Answer = { status: 200, headers: NO_STORE, body: undefined };

/** RFC 7009: a client gives one of its tokens back. A token that is not valid any more is as good as revoked. */
export const revoke: OauthOperation = async (identity, request) => {
  const { form, ip, requestId } = request;
  const { credential } = await clientOf(identity, request);
  const verified = await verifiedOrNot(identity, requireParameter(form, "token"));
  if (verified === undefined) return DONE;
  if (verified.credential.id !== credential.id) {
    throw new OauthError("invalid_request", "The token was issued to another client; only that one can revoke it.");
  }
  await identity.tokens.revoke(verified.claims, { actor: { kind: "credential", id: credential.id }, ip, requestId });
  return DONE;
};

async function verifiedOrNot(identity: Identity, token: string): Promise<VerifiedToken | undefined> {
  try {
    return await identity.tokens.verifier.verify(token);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_token") return undefined;
    throw error;
  }
}
