import type { Signatures } from "#domain/identity/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import type { Clock } from "#kernel/time.ts";
import type { Subject, Action } from "./types.ts";

/**
 * A token's access to one repository, or to the catalog. `asked` distinguishes a refused scope from one that was not
 * requested.
 */
export interface Access extends Subject {
  readonly asked: readonly Action[];
  readonly granted: readonly Action[];
}

/** A verified token of the registry. Its principal is not loaded yet. */
export interface RegistryToken {
  /** Null: nobody signed in. */
  readonly credentialId: string | null;
  /** The credential's epoch when the token was issued. */
  readonly epoch: number;
  readonly access: readonly Access[];
  /** The id of the trust that issued the access token behind this one. This token ends when the trust is deleted. */
  readonly trust?: string | undefined;
}

/** A refresh token, verified in the same way. It ends with the secret that it was issued for. */
export interface RefreshToken {
  readonly credentialId: string;
  readonly epoch: number;
  readonly secretId: string;
}

export interface RegistryTokens {
  /** `endS`: the latest end, in seconds since the epoch. */
  issue(
    token: RegistryToken,
    endS?: number,
  ): { readonly token: string; readonly expiresInS: number; readonly issuedAtMs: number };
  /** Returns undefined if the text is not a token of this registry, or has expired. */
  verify(text: string): Promise<RegistryToken | undefined>;
  issueRefresh(token: RefreshToken): string;
  verifyRefresh(text: string): Promise<RefreshToken | undefined>;
}

/** Clients require at least a minute (token specification of Docker, "Token response fields"). */
const LIFETIME_S = 300;
const REFRESH_LIFETIME_S = 90 * 86_400;
const TOKEN_CHARS_MAX = 16_000;

type Kind = "mrr" | "mrrr";

interface Claims {
  readonly aud: string;
  readonly exp: number;
}

const purposeOf = (kind: Kind) => `registry-token-${kind}` as const;

/** Returns the content of a token of this kind. Undefined: the registry did not sign it. It may have expired. */
async function claimsOf<T>(envelope: Pick<Signatures, "verify">, kind: Kind, text: string): Promise<T | undefined> {
  if (text.length > TOKEN_CHARS_MAX) return undefined;
  const [head, payload = "", mac = "", ...more] = text.split(".");
  if (head !== kind || more.length > 0) return undefined;
  const given = decodeBase64Url(mac);
  if (given === undefined || !(await envelope.verify(purposeOf(kind), payload, given))) return undefined;
  return JSON.parse(decodeBase64Url(payload)?.toString("utf8") ?? "") as T;
}

/** Returns the id of the credential of a token or a refresh token, also if it has expired. Undefined: it has none. */
export async function holderOfToken(envelope: Pick<Signatures, "verify">, text: string): Promise<string | undefined> {
  const kind: Kind = text.startsWith("mrr.") ? "mrr" : "mrrr";
  return (await claimsOf<Pick<RegistryToken, "credentialId">>(envelope, kind, text))?.credentialId ?? undefined;
}

/**
 * Creates tokens under the registry's own key, so that no other service accepts them and the registry accepts no
 * others. They are small and opaque to clients. Their content is JSON, authenticated by the key.
 */
export function createRegistryTokens(options: {
  readonly envelope: Pick<Signatures, "sign" | "verify">;
  readonly clock: Clock;
  /** The name of this registry. */
  readonly service: string;
}): RegistryTokens {
  const { envelope, clock, service } = options;

  function sign(kind: Kind, claims: object): string {
    const payload = Buffer.from(JSON.stringify({ ...claims, aud: service })).toString("base64url");
    return `${kind}.${payload}.${envelope.sign(purposeOf(kind), payload).toString("base64url")}`;
  }

  async function open<T extends object>(kind: Kind, text: string): Promise<(T & Claims) | undefined> {
    const claims = await claimsOf<T & Claims>(envelope, kind, text);
    return claims?.aud === service && clock.nowMs() / 1000 < claims.exp ? claims : undefined;
  }

  return {
    issue: (token, endS = Infinity) => {
      const issuedAtMs = clock.nowMs();
      const iat = Math.floor(issuedAtMs / 1000);
      const exp = Math.min(iat + LIFETIME_S, endS);
      return { token: sign("mrr", { ...token, exp }), expiresInS: exp - iat, issuedAtMs };
    },
    verify: (text) => open<RegistryToken>("mrr", text),
    issueRefresh: (token) => sign("mrrr", { ...token, exp: Math.floor(clock.nowMs() / 1000) + REFRESH_LIFETIME_S }),
    verifyRefresh: (text) => open<RefreshToken>("mrrr", text),
  };
}
