import { SCOPES } from "@mooring/contract";
import { DEVICE_CODE_GRANT } from "./logins.ts";
import type { OauthOperation } from "../model.ts";

const AUTH_METHODS = ["client_secret_basic", "client_secret_post"];
const MAX_AGE_S = 300;

/** Describes this authorization server (RFC 8414). */
export const serverMetadata: OauthOperation = ({ identity: { issuer }, portalUrl }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: {
    issuer,
    authorization_endpoint: `${portalUrl}/authorize`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    token_endpoint: `${issuer}/oauth/token`,
    token_endpoint_auth_methods_supported: [...AUTH_METHODS, "none"],
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: [...AUTH_METHODS, "none"],
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: ["client_credentials", "authorization_code", "refresh_token", DEVICE_CODE_GRANT],
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: SCOPES,
  },
});

/** Lists the public keys that verify tokens (RFC 7517 section 5). */
export const jwks: OauthOperation = ({ identity: { keys } }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: keys.jwks(),
});
