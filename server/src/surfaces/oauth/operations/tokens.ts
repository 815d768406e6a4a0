import type { Identity, VerifiedToken } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { clientOf } from "../client.ts";
import { NO_STORE, OauthError, type Answer } from "../errors.ts";
import { isLogin, loginTokens, revokeLogin } from "./logins.ts";
import type { OauthOperation, OauthRequest } from "../model.ts";
import { requireParameter } from "../wire/form.ts";

/** Issues an access token for a client's credentials (RFC 6749 section 4.4), or for a login of the command line. */
export const token: OauthOperation = async (deps, request) => {
  const { identity } = deps;
  const { form, ip, requestId } = request;
  const grantType = requireParameter(form, "grant_type");
  if (isLogin(request)) return loginTokens(deps, request, grantType);
  const { credential, trustId } = await clientOf(identity, request);
  if (grantType !== "client_credentials") {
    throw new OauthError("unsupported_grant_type", "This client gets tokens for client_credentials only.");
  }
  const issued = await identity.tokens.issuer.issue(credential, { scope: form.get("scope"), trustId, ip, requestId });
  return {
    status: 200,
    headers: NO_STORE,
    body: {
      access_token: issued.accessToken,
      token_type: "Bearer",
      expires_in: issued.expiresInS,
      scope: issued.scope,
    },
  };
};

/** Says whether a token is active (RFC 7662). Tokens of other organizations are always inactive. */
export const introspect: OauthOperation = async ({ identity }, request) => {
  const orgId = await organizationOf(identity, request);
  const token = requireParameter(request.form, "token");
  const verified = await verifiedOrNot(identity, token);
  // The answer about an inactive token has no other member (RFC 7662 section 2.2).
  if (verified === undefined || verified.claims.org !== orgId) return answer({ active: false });
  const { iss, aud, sub, client_id, jti, iat, exp, org } = verified.claims;
  const scope = [...verified.scopes].join(" ");
  return answer({ active: true, token_type: "Bearer", scope, client_id, iss, aud, sub, jti, iat, exp, org });
};

/** Identifies the caller's organization by an access token or by client authentication. */
async function organizationOf(identity: Identity, request: OauthRequest): Promise<string> {
  if (request.principal !== null) return request.principal.orgId;
  return (await clientOf(identity, request)).credential.orgId;
}

async function verifiedOrNot(identity: Identity, token: string): Promise<VerifiedToken | undefined> {
  try {
    return await identity.tokens.verifier.verify(token);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_token") return undefined;
    throw error;
  }
}

function answer(body: object): Answer {
  return { status: 200, headers: NO_STORE, body };
}

const DONE: Answer = { status: 200, headers: NO_STORE, body: undefined };

/** Revokes a token of the calling client (RFC 7009). A token that is not valid any more counts as revoked. */
export const revoke: OauthOperation = async (deps, request) => {
  if (isLogin(request)) return revokeLogin(deps, request);
  const { identity } = deps;
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
