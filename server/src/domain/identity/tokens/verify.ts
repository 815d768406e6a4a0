import { hash } from "node:crypto";
import { isScope, type Scope } from "@mooring/contract";
import type { Withheld } from "#domain/identity/access/index.ts";
import type { ChangeFeed, ChangeRow } from "#domain/identity/changes/index.ts";
import { endingOf, type CredentialState, type CredentialStates } from "#domain/identity/credentials/index.ts";
import { verifyJws, type SigningKeys } from "#domain/identity/keys/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { Problem, type ProblemOptions } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { decodeClaims, namesKey, splitJws, type AccessTokenClaims, type CompactJws } from "./jwt.ts";

export interface VerifiedToken {
  readonly claims: AccessTokenClaims;
  readonly credential: CredentialState;
  /** The token's scopes that the credential still has. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes of the credential that the token does not have, with the reason. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
}

export interface TokenVerifierDeps {
  readonly clock: Clock;
  readonly keys: SigningKeys;
  readonly feed: ChangeFeed;
  readonly states: CredentialStates;
  readonly issuer: string;
  readonly audience: string;
}

/** A token with a valid signature. Everything else is checked at each use. */
interface SignedToken {
  /** The encoded header, which identifies the key. */
  readonly header: string;
  readonly claims: AccessTokenClaims & { readonly nbf?: number };
  readonly scopes: readonly Scope[];
}

/** About 1 kB each. */
const SIGNATURES_MAX = 20_000;
/** For tokens from before a start, or from a node with a wrong clock. */
const CLOCK_SKEW_S = 60;
/** Tokens with an unknown key cause a read of the keys at most this often. */
const KEY_NEWS_EVERY_MS = 1_000;

export class TokenVerifier {
  readonly #deps: TokenVerifierDeps;
  /** By SHA-256 of the token. Only valid signatures are cached, never a decision. */
  #signed = new Map<string, SignedToken>();
  /** `exp` of each token that was revoked before its expiry, by `jti`. */
  readonly #void = new Map<string, number>();
  #askedForKeysAtMs = 0;

  constructor(deps: TokenVerifierDeps) {
    this.#deps = deps;
    deps.feed.subscribe({ apply: (changes) => this.#apply(changes), reset: (tokens) => this.#reset(tokens) });
  }

  /**
   * Verifies an access token against the current state.
   * @throws Problem `invalid_token` that says why; `unavailable` if this node can't decide
   */
  async verify(token: string): Promise<VerifiedToken> {
    const { feed, states, clock } = this.#deps;
    const renewing = feed.ensureFresh();
    if (renewing !== undefined) await renewing;
    const { claims, scopes } =
      this.#verifiedBefore(token) ?? (await this.#verifySignature(token)) ?? (await this.#verifyWithNews(token));
    this.#checkClaims(claims);
    let credential = states.cachedById(claims.sub) ?? (await states.readById(claims.sub));
    // The cached state is older than the state with which another node issued the token.
    if (credential !== undefined && (claims.ce > credential.epoch || !hasTrust(credential, claims)))
      credential = await states.readById(claims.sub);
    if (credential === undefined || credential.clientId !== claims.client_id || credential.orgId !== claims.org) {
      throw invalid("The credential of this token does not exist.");
    }
    checkCredential(credential, claims, clock.nowMs());
    const present = credential.scopes;
    const held = new Set(scopes.filter((scope) => present.has(scope)));
    return { claims, credential, scopes: held, withheld: withheldOf(credential, held) };
  }

  /**
   * Returns the claims of a token that this server signed, also if it is not valid any more. Undefined: this server did
   * not sign it.
   */
  async claimsOf(token: string): Promise<AccessTokenClaims | undefined> {
    try {
      return (await this.#verifySignature(token))?.claims;
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }

  #verifiedBefore(token: string): SignedToken | undefined {
    const digest = digestOf(token);
    const known = this.#signed.get(digest);
    if (known === undefined || this.#deps.keys.verifierOf(known.header) !== undefined) return known;
    this.#signed.delete(digest);
    return undefined;
  }

  /** Returns undefined if no key of ours has such a header. */
  async #verifySignature(token: string): Promise<SignedToken | undefined> {
    const parts = splitJws(token);
    if (parts === undefined) throw invalid("The access token was not issued by this server.");
    // The header must be exactly the text that we write for a key. So the key decides the algorithm and the type, never
    // the token.
    const key = this.#deps.keys.verifierOf(parts.header);
    if (key === undefined) return undefined;
    const signature = decodeBase64Url(parts.signature);
    if (signature === undefined || !(await verifyJws(key, `${parts.header}.${parts.payload}`, signature))) {
      throw invalid("The signature of the access token is wrong.");
    }
    const signed = signedOf(parts);
    this.#keep(digestOf(token), signed);
    return signed;
  }

  /** Reads the keys again, because another node may have created the key a moment ago. */
  async #verifyWithNews(token: string): Promise<SignedToken> {
    const nowMs = this.#deps.clock.nowMs();
    const header = splitJws(token)?.header ?? "";
    if (namesKey(header) && Math.abs(nowMs - this.#askedForKeysAtMs) >= KEY_NEWS_EVERY_MS) {
      this.#askedForKeysAtMs = nowMs;
      await this.#deps.feed.sync();
      const signed = await this.#verifySignature(token);
      if (signed !== undefined) return signed;
    }
    throw invalid("The access token was not issued by this server, or its signing key is no longer in use.");
  }

  #checkClaims(claims: SignedToken["claims"]): void {
    const { issuer, audience, clock } = this.#deps;
    const nowS = clock.nowMs() / 1000;
    if (claims.iss !== issuer) throw invalid("The access token was issued by another server.");
    if (claims.aud !== audience) throw invalid("The access token is meant for another server.");
    if (nowS >= claims.exp) throw invalid("The access token has expired.", factsOf(claims, "expired"));
    if (Math.max(claims.iat, claims.nbf ?? 0) > nowS + CLOCK_SKEW_S)
      throw invalid("The access token is not valid yet.");
    if (this.#void.has(claims.jti)) throw invalid("The access token was revoked.", factsOf(claims, "revoked"));
  }

  #keep(digest: string, signed: SignedToken): void {
    this.#signed.set(digest, signed);
    if (this.#signed.size <= SIGNATURES_MAX) return;
    const oldest = this.#signed.keys().next();
    if (oldest.done !== true) this.#signed.delete(oldest.value);
  }

  async #apply(changes: readonly ChangeRow[]): Promise<void> {
    for (const change of changes)
      if (change.kind === "token") this.#void.set(change.subject, (change.expires_at ?? 0) / 1000);
    this.#forgetExpired();
    if (changes.some((change) => change.kind === "key")) await this.#reloadKeys();
  }

  async #reset(tokens: readonly ChangeRow[]): Promise<void> {
    this.#void.clear();
    for (const row of tokens) this.#void.set(row.subject, (row.expires_at ?? 0) / 1000);
    await this.#reloadKeys();
  }

  async #reloadKeys(): Promise<void> {
    await this.#deps.keys.reload();
    for (const [digest, signed] of this.#signed) {
      if (this.#deps.keys.verifierOf(signed.header) === undefined) this.#signed.delete(digest);
    }
  }

  #forgetExpired(): void {
    const nowS = this.#deps.clock.nowMs() / 1000;
    for (const [jti, exp] of this.#void) if (exp <= nowS) this.#void.delete(jti);
  }
}

function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}

function signedOf(parts: CompactJws): SignedToken {
  const claims = decodeClaims(parts.payload);
  if (claims === undefined) throw invalid("The access token lacks a claim that this server needs.");
  return { header: parts.header, claims, scopes: claims.scope.split(" ").filter(isScope) };
}

function checkCredential(credential: CredentialState, claims: AccessTokenClaims, nowMs: number): void {
  const ending = endingOf(credential, nowMs);
  if (ending !== undefined) {
    const isRevoked = ending.startsWith("revoked");
    const detail = `The credential of this token ${isRevoked ? "was" : "has"} ${ending}.`;
    throw invalid(detail, factsOf(claims, isRevoked ? "revoked" : "expired"));
  }
  if (!hasTrust(credential, claims))
    throw invalid("The trust that issued this token was deleted.", factsOf(claims, "revoked"));
  if (claims.ce !== credential.epoch)
    throw invalid(
      "The permissions of the credential were changed after this token was issued. Ask for a new token.",
      factsOf(claims, "revoked"),
    );
}

function withheldOf({ scopes, withheld }: CredentialState, held: ReadonlySet<Scope>): ReadonlyMap<Scope, Withheld> {
  if (held.size === scopes.size) return withheld;
  const left = [...scopes].filter((scope) => !held.has(scope)).map((scope) => [scope, { by: "token" }] as const);
  return new Map<Scope, Withheld>([...withheld, ...left]);
}

/** Whether the trust that issued the token still exists, if a trust issued it. */
function hasTrust({ trusts }: CredentialState, { trust }: AccessTokenClaims): boolean {
  return trust === undefined || trusts.some(({ id }) => id === trust);
}

function invalid(detail: string, facts?: ProblemOptions["facts"]): Problem {
  return new Problem("invalid_token", detail, facts && { facts });
}

/** Names the owner of a token with a valid signature, for the record of refused requests. */
function factsOf({ sub, org }: AccessTokenClaims, rule: "expired" | "revoked"): ProblemOptions["facts"] {
  return () => ({ rule, actor: { kind: "credential", id: sub, orgId: org } });
}
