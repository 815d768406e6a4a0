import type { OauthOperation } from "../model.ts";

/** Half of the time for which a new key is published before it signs, so that no verifier meets a key it can't know. */
const MAX_AGE_S = 300;

/** RFC 7517 section 5: the public keys of the tokens. */
export const jwks: OauthOperation = ({ keys }) => ({
  status: 200,
  headers: { "cache-control": `public, max-age=${MAX_AGE_S}` },
  body: keys.jwks(),
});
