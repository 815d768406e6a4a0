import { decodeBase64Url } from "#kernel/decoding.ts";

/** The claims of an access token: those of RFC 9068, section 2.2, the organization, and the credential's epoch. */
export interface AccessTokenClaims {
  readonly iss: string;
  readonly aud: string;
  /** The id of the credential. Without a resource owner, the subject is the client (RFC 9068, section 2.2). */
  readonly sub: string;
  readonly client_id: string;
  readonly org: string;
  readonly scope: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  /** The credential's epoch when the token was issued. The token is void if the epoch has changed since. */
  readonly ce: number;
  /** The id of the trust with which the client signed in. The token ends when the trust is deleted. */
  readonly trust?: string;
}

/** The three parts of a compact JWS (RFC 7515, section 7.1), still encoded. */
export interface CompactJws {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/** Our tokens have about 700 characters. */
const TOKEN_CHARS_MAX = 4096;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function splitJws(token: string): CompactJws | undefined {
  if (token.length > TOKEN_CHARS_MAX) return undefined;
  const first = token.indexOf(".");
  const second = token.indexOf(".", first + 1);
  if (first < 1 || second < 0) return undefined;
  const parts = {
    header: token.slice(0, first),
    payload: token.slice(first + 1, second),
    signature: token.slice(second + 1),
  };
  return BASE64URL.test(parts.payload) && BASE64URL.test(parts.signature) ? parts : undefined;
}

/** Whether the header names a key (RFC 7515, section 4.1.4). It decides only whether reading newer keys can help. */
export function namesKey(header: string): boolean {
  try {
    const fields = JSON.parse(decodeBase64Url(header)?.toString("utf8") ?? "") as { kid?: unknown; typ?: unknown };
    return typeof fields.kid === "string" && fields.typ === "at+jwt";
  } catch {
    return false;
  }
}

export function encodeClaims(claims: AccessTokenClaims): string {
  return Buffer.from(JSON.stringify(claims)).toString("base64url");
}

/**
 * Returns the claims of a payload whose signature was verified. Undefined if a claim that we need is missing or has
 * another type.
 */
export function decodeClaims(payload: string): (AccessTokenClaims & { nbf?: number }) | undefined {
  let claims: Record<string, unknown>;
  try {
    claims = JSON.parse(decodeBase64Url(payload)?.toString("utf8") ?? "") as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const texts = [
    claims["iss"],
    claims["aud"],
    claims["sub"],
    claims["client_id"],
    claims["org"],
    claims["scope"],
    claims["jti"],
  ];
  const numbers = [claims["iat"], claims["exp"], claims["ce"], claims["nbf"] ?? 0];
  if (claims["trust"] !== undefined) texts.push(claims["trust"]);
  const sound =
    texts.every((value) => typeof value === "string") && numbers.every((value) => Number.isSafeInteger(value));
  return sound ? (claims as unknown as AccessTokenClaims) : undefined;
}
