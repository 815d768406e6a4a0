/** The most characters of base64 of `user:password`; ours have 88. */
const CHARS_MAX = 4096;

export interface UserPassword {
  readonly user: string;
  readonly password: string;
}

/** Parses Basic authentication (RFC 7617); undefined for another scheme, or when it is malformed. */
export function parseBasic(authorization: string | undefined): UserPassword | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined || encoded.length > CHARS_MAX) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

export function parseBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization ?? "")?.[1];
}
