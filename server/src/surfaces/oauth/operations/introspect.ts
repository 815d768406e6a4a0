import type { Identity, VerifiedToken } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { clientOf } from "../client.ts";
import { NO_STORE, type Answer } from "../errors.ts";
import type { OauthOperation, OauthRequest } from "../model.ts";
import { requireParameter } from "../wire/form.ts";

/** RFC 7662: whether a token is good at this moment. Only tokens of the caller's own organization ever are. */
export const introspect: OauthOperation = async (identity, request) => {
  const orgId = await organizationOf(identity, request);
  const token = requireParameter(request.form, "token");
  const verified = await verifiedOrNot(identity, token);
  // What isn't active is said in no more words than that (RFC 7662 section 2.2).
  if (verified === undefined || verified.claims.org !== orgId) return answer({ active: false });
  const { iss, aud, sub, client_id, jti, iat, exp, org } = verified.claims;
  const scope = [...verified.scopes].join(" ");
  return answer({ active: true, token_type: "Bearer", scope, client_id, iss, aud, sub, jti, iat, exp, org });
};

/** The caller shows an access token, or signs in as a client. */
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
