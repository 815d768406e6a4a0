import { clientOf } from "../client.ts";
import { NO_STORE, OauthError } from "../errors.ts";
import type { OauthOperation } from "../model.ts";
import { requireParameter } from "../wire/form.ts";

/** RFC 6749 section 4.4: an access token for a client's own credentials. */
export const token: OauthOperation = async (identity, request) => {
  const { form, ip, requestId } = request;
  const grantType = requireParameter(form, "grant_type");
  const { credential, trustId } = await clientOf(identity, request);
  if (grantType !== "client_credentials") {
    throw new OauthError("unsupported_grant_type", "This server grants tokens for client_credentials only.");
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
