import { NO_STORE, OauthError } from "../errors.ts";
import type { OauthOperation } from "../model.ts";
import { clientCredentialsOf } from "../wire/client-authentication.ts";
import { requireParameter } from "../wire/form.ts";

/** RFC 6749 section 4.4: an access token for a client's own credentials. */
export const token: OauthOperation = async (identity, request) => {
  const { form, ip, requestId } = request;
  const grantType = requireParameter(form, "grant_type");
  const client = clientCredentialsOf(request.authorization, form);
  const credential = await identity.signIn.authenticate({ ...client, ip, requestId });
  request.countSignIn(credential);
  if (grantType !== "client_credentials") {
    throw new OauthError("unsupported_grant_type", "This server grants tokens for client_credentials only.");
  }
  const issued = await identity.tokens.issuer.issue(credential, { scope: form.get("scope"), ip, requestId });
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
