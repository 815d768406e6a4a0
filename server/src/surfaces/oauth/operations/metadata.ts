import { SCOPES } from "@mooring/contract";
import type { OauthOperation } from "../model.ts";

const AUTH_METHODS = ["client_secret_basic", "client_secret_post"];
const MAX_AGE_S = 300;

/** RFC 8414: what this authorization server can do and where. */
export const serverMetadata: OauthOperation = ({ issuer }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: ["client_credentials"],
    response_types_supported: [], // required by section 2; there is no authorization endpoint
    scopes_supported: SCOPES,
  },
});

/** RFC 7517 section 5: the public keys of the tokens. */
export const jwks: OauthOperation = ({ keys }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: keys.jwks(),
});
