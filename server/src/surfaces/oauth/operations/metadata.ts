import { SCOPES } from "@mooring/contract";
import type { OauthOperation } from "../model.ts";

const AUTH_METHODS = ["client_secret_basic", "client_secret_post"];
const MAX_AGE_S = 300;

/** Describes this authorization server (RFC 8414). */
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
    response_types_supported: [], // Section 2 requires this member. It is empty, since there is no authorization endpoint.
    scopes_supported: SCOPES,
  },
});

/** Lists the public keys that verify tokens (RFC 7517 section 5). */
export const jwks: OauthOperation = ({ keys }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: keys.jwks(),
});
