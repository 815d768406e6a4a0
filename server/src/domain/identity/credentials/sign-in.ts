import { hash, timingSafeEqual } from "node:crypto";
import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import { AssertionRefusal, type Federation } from "#domain/identity/federation/index.ts";
import type { Hasher, Lookups } from "#domain/identity/keys/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import { FailureDelay, failurePlaceOf } from "./failure-delay.ts";
import { refusedActorOf, type Gate, type Origin } from "./gate.ts";
import type { RenewHash } from "./hash-renewal.ts";
import { KINDS } from "./kinds.ts";
import type { RefusalLog } from "./refusals.ts";
import { endingOf, isLive } from "./state.ts";
import type { CredentialState, CredentialStates } from "./states.ts";
import type { UsageLog } from "./usage.ts";

/** The purpose in the hash of client secrets. */
export const CLIENT_SECRET_HASH = "client-secret";
const NO_HASH = Buffer.alloc(32);
const EMAIL = /^[^@\s]{1,64}@[^@\s]{1,255}$/;
const CLIENT_ID = /^mrc_[0-9a-hjkmnp-tv-z]{26}$/;

type Secret = CredentialState["secrets"][number];

export interface SignInRequest {
  /** A client id. Or a person's e-mail address, if the service accepts people. */
  readonly clientId: string;
  /** A client secret. Or a personal access token of that person. */
  readonly clientSecret: string;
  /** Whether this service accepts people. */
  readonly takesPeople?: boolean;
  readonly ip: string;
  readonly requestId: string;
}

/** A token of another issuer instead of a secret (RFC 7521, section 4.2). */
export interface AssertionRequest extends Pick<SignInRequest, "clientId" | "ip" | "requestId"> {
  readonly assertion: string;
}

export interface SignInDeps {
  readonly clock: Clock;
  readonly envelope: Pick<Lookups, "hasher" | "lookupHashes">;
  /** Stores the hash of a secret under the current key. If that fails, the sign-in still succeeds. */
  readonly renewHash: RenewHash;
  readonly states: CredentialStates;
  readonly feed: ChangeFeed;
  readonly refusals: RefusalLog;
  readonly usage: UsageLog;
  readonly federation: Pick<Federation, "accept">;
  readonly gate: Gate;
}

/** Client authentication with a secret, or with a token of another issuer, for every surface that accepts them. */
export class SignIn {
  readonly #deps: SignInDeps;
  readonly #failures: FailureDelay;
  /** SHA-256 of the last accepted secret. It lives as long as the cached state that accepted it. */
  readonly #accepted = new WeakMap<CredentialState, { digest: Buffer; secret: Secret }>();

  /** The credential that a refused request names, without a proof that it is its owner's. */
  readonly #named = new WeakMap<SignInRequest | AssertionRequest, CredentialState>();

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#failures = new FailureDelay(deps.clock);
  }

  /**
   * Authenticates a client, and returns the current state of its credential. An unknown client, a wrong secret, and a
   * revoked or expired credential get the same refusal, in words and in time. A caller with the right secret gets the
   * other reasons. The right secret works after any number of failures, because nobody guesses 256 random bits.
   * @throws Problem `unauthorized`; `approval_pending`, `address_not_allowed`; `rate_limited` instead of `unauthorized`
   * after ten failures of this client from this address; `unavailable` if this node can't decide
   */
  async authenticate(request: SignInRequest): Promise<CredentialState> {
    await this.#fresh();
    const state = await this.#verify(request);
    if (state !== undefined) {
      this.#deps.gate.require(state, request);
      return state;
    }
    this.#fail(request);
    throw new Problem(
      "unauthorized",
      "The client id or the client secret is wrong, or the credential is no longer valid. Check both, or ask for a new credential.",
      { facts: this.#factsOf(request) },
    );
  }

  /**
   * Returns the current state of the credential, and the trust that accepted the assertion. An unknown client, a trust
   * that does not match, and a revoked or expired credential get the same refusal.
   * @throws Problem as `authenticate`
   */
  async authenticateAssertion(request: AssertionRequest): Promise<{ credential: CredentialState; trustId: string }> {
    const { states, federation, clock, usage } = this.#deps;
    await this.#fresh();
    const state = CLIENT_ID.test(request.clientId) ? await states.byClient(request.clientId) : undefined;
    const live = state !== undefined && isLive(state, clock.nowMs()) ? state : undefined;
    try {
      const { trustId, subject } = await federation.accept(live?.trusts ?? [], request.assertion);
      if (live === undefined) throw new Error("cannot sign in: the accepted assertion belongs to no credential");
      this.#deps.gate.require(live, request);
      usage.touch(live.id, { trustId, subject, ip: request.ip });
      return { credential: live, trustId };
    } catch (error) {
      if (!(error instanceof AssertionRefusal)) throw error;
      this.#refuse(request, state, live === undefined ? reasonOf(state, clock.nowMs()) : error.reason);
      if (!error.isIssuersFault) this.#fail(request);
      throw new Problem("unauthorized", error.message, { facts: this.#factsOf(request) });
    }
  }

  /**
   * Returns the current state of a personal access token that was sent as an access token.
   * @throws Problem `invalid_token`; `approval_pending`, `address_not_allowed`, `second_factor_required`,
   * `provider_sign_in_required`; `unavailable` if this node can't decide
   */
  async authenticatePersonal(token: string, origin: Origin | undefined): Promise<CredentialState> {
    await this.#fresh();
    const { envelope, gate, clock, usage } = this.#deps;
    if (!isWellFormedSecret(KINDS.personal.secretPrefix, token)) throw unknownToken();
    const state = await this.#stateOfPersonal(token);
    const hasher = envelope.hasher(CLIENT_SECRET_HASH, token);
    const secret = state === undefined ? undefined : matchingSecret(state, hasher);
    if (state === undefined || secret === undefined || state.ownerId === null) throw unknownToken();
    const ending = endingOf(state, clock.nowMs());
    if (ending !== undefined || !this.#isGood(state, secret))
      throw new Problem("invalid_token", `The personal access token ${endedText(ending ?? "expired")}.`, {
        facts: () => ({ rule: ruleOfEnding(ending ?? "expired"), actor: refusedActorOf(state) }),
      });
    gate.require(state, origin);
    this.#renewHash(secret, hasher);
    usage.touch(state.id, { secretId: secret.id, ip: origin?.ip ?? null });
    return state;
  }

  /** Finds a personal access token by its hash, under every lookup key that is still in use. */
  async #stateOfPersonal(token: string): Promise<CredentialState | undefined> {
    const { envelope, states } = this.#deps;
    let state: CredentialState | undefined;
    for (const { hash: possible } of envelope.lookupHashes(CLIENT_SECRET_HASH, token))
      state ??= await states.bySecret(possible.toString("hex"));
    return state;
  }

  #renewHash(secret: Secret, hasher: Hasher): void {
    if (hasher.under(secret.hashKey) !== hasher.current) this.#deps.renewHash(secret, hasher.current);
  }

  /** Waits until this node has read the latest changes. @throws Problem `unavailable` */
  async #fresh(): Promise<void> {
    const renewing = this.#deps.feed.ensureFresh();
    if (renewing !== undefined) await renewing;
  }

  /** Names the credential for the record of refused requests. The caller does not get it. */
  #factsOf(request: SignInRequest | AssertionRequest): () => RefusalFacts {
    const named = this.#named.get(request);
    if (named === undefined) return () => ({});
    const ending = endingOf(named, this.#deps.clock.nowMs());
    const rule = ending === undefined ? "credentials" : ruleOfEnding(ending);
    return () => ({ rule, named: { orgId: named.orgId, credentialId: named.id } });
  }

  /** @throws Problem `rate_limited` */
  #fail({ clientId, ip }: { readonly clientId: string; readonly ip: string }): void {
    this.#failures.fail(`${clientId.slice(0, 64)} ${failurePlaceOf(ip)}`);
  }

  /** Returns the id of the credential's secret that was used, for tokens that must end with it. */
  secretIdOf(state: CredentialState, clientSecret: string): string | undefined {
    return matchingSecret(state, this.#deps.envelope.hasher(CLIENT_SECRET_HASH, clientSecret))?.id;
  }

  async #verify(request: SignInRequest): Promise<CredentialState | undefined> {
    const { states, envelope } = this.#deps;
    if (request.takesPeople === true && EMAIL.test(request.clientId)) return this.#verifyPerson(request);
    if (!CLIENT_ID.test(request.clientId)) return this.#refuse(request, undefined, "malformed");
    if (!isWellFormedSecret(KINDS.app.secretPrefix, request.clientSecret)) {
      // Reads the credential, so that the audit log of its organization shows the attempt.
      return this.#refuse(request, await states.readByClient(request.clientId), "malformed");
    }
    const cached = states.cachedByClient(request.clientId);
    const digest = hash("sha256", request.clientSecret, "buffer");
    if (cached !== undefined && this.#acceptsAgain(cached, digest, request)) return cached;
    const hasher = envelope.hasher(CLIENT_SECRET_HASH, request.clientSecret);
    if (cached !== undefined && this.#accepts(cached, { hasher, digest }, request)) return cached;
    // Memory may lack a secret that another node has just created. An unknown client costs the same read, so the time
    // does not reveal which clients exist.
    const state = await states.readByClient(request.clientId);
    if (state !== undefined && this.#accepts(state, { hasher, digest }, request)) return state;
    return this.#refuse(request, state, reasonOf(state, this.#deps.clock.nowMs()));
  }

  /** Finds a personal access token by its hash, then compares the person's e-mail address. */
  async #verifyPerson(request: SignInRequest): Promise<CredentialState | undefined> {
    if (!isWellFormedSecret(KINDS.personal.secretPrefix, request.clientSecret))
      return this.#refuse(request, undefined, "malformed");
    const digest = hash("sha256", request.clientSecret, "buffer");
    const state = await this.#stateOfPersonal(request.clientSecret);
    const hasher = this.#deps.envelope.hasher(CLIENT_SECRET_HASH, request.clientSecret);
    const isTheirs = state?.person === request.clientId.toLowerCase();
    if (state !== undefined && isTheirs && this.#accepts(state, { hasher, digest }, request)) return state;
    const reason = state === undefined || isTheirs ? reasonOf(state, this.#deps.clock.nowMs()) : "another person's";
    return this.#refuse(request, state, reason);
  }

  #accepts(state: CredentialState, hashes: { hasher: Hasher; digest: Buffer }, request: SignInRequest): boolean {
    const { hasher } = hashes;
    const secret = matchingSecret(state, hasher);
    if (secret === undefined || !this.#isGood(state, secret)) return false;
    this.#accepted.set(state, { digest: hashes.digest, secret });
    this.#renewHash(secret, hasher);
    this.#deps.usage.touch(state.id, { secretId: secret.id, ip: request.ip });
    return true;
  }

  /** Whether the client sent the same secret as last time. Comparing a plain hash costs a tenth of the keyed one. */
  #acceptsAgain(state: CredentialState, digest: Buffer, request: SignInRequest): boolean {
    const last = this.#accepted.get(state);
    if (last === undefined || !timingSafeEqual(last.digest, digest) || !this.#isGood(state, last.secret)) return false;
    this.#deps.usage.touch(state.id, { secretId: last.secret.id, ip: request.ip });
    return true;
  }

  #isGood(state: CredentialState, secret: Secret): boolean {
    const nowMs = this.#deps.clock.nowMs();
    return isLive(state, nowMs) && (secret.expiresAtMs === null || nowMs < secret.expiresAtMs);
  }

  #refuse(request: SignInRequest | AssertionRequest, state: CredentialState | undefined, reason: string): undefined {
    if (state === undefined) timingSafeEqual(NO_HASH, NO_HASH);
    else this.#named.set(request, state);
    this.#deps.refusals.record({
      orgId: state?.orgId ?? null,
      credentialId: state?.id ?? null,
      signedIn: false,
      clientId: CLIENT_ID.test(request.clientId) ? request.clientId : null,
      reason,
      ip: request.ip,
      requestId: request.requestId,
    });
    return undefined;
  }
}

function unknownToken(): Problem {
  return new Problem("invalid_token", "This server did not create this personal access token.");
}

/** Returns the rule that refuses a credential which has ended. */
export function ruleOfEnding(ending: string): "expired" | "revoked" {
  return ending.startsWith("revoked") ? "revoked" : "expired";
}

function endedText(ending: string): string {
  return `${ending.startsWith("revoked") ? "was" : "has"} ${ending}`;
}

/** Returns the secret with this hash. Each is compared in constant time. */
function matchingSecret(state: CredentialState, hasher: Hasher): Secret | undefined {
  let found: Secret | undefined;
  for (const secret of state.secrets) {
    const { hash: keyed } = hasher.under(secret.hashKey);
    if (secret.hash.length === keyed.length && timingSafeEqual(secret.hash, keyed)) found = secret;
  }
  return found;
}

/** Returns the reason of a refusal, for the audit log only. The caller does not get it. */
function reasonOf(state: CredentialState | undefined, nowMs: number): string {
  if (state === undefined) return "unknown client";
  return endingOf(state, nowMs) ?? "wrong secret";
}
