export { ScopeRefusal, TokenIssuer, type IssuedToken } from "./issue.ts";
export type { AccessTokenClaims } from "./jwt.ts";
export { revokeToken, type RevocationContext } from "./revoke.ts";
export { TokenVerifier, type VerifiedToken } from "./verify.ts";
