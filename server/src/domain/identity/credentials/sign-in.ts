import { timingSafeEqual } from "node:crypto";
import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Envelope } from "#domain/identity/keys/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import { FailureLimit } from "./failure-limit.ts";
import type { RefusalLog } from "./refusals.ts";
import type { CredentialState, CredentialStates } from "./states.ts";
import type { UsageLog } from "./usage.ts";

/** Purpose under which client secrets are hashed. */
export const CLIENT_SECRET_HASH = "client-secret";
const NO_HASH = Buffer.alloc(32);
const CLIENT_ID = /^mrc_[0-9a-hjkmnp-tv-z]{26}$/;

export interface SignInRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly ip: string;
  readonly requestId: string;
}

export interface SignInDeps {
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly states: CredentialStates;
  readonly feed: ChangeFeed;
  readonly refusals: RefusalLog;
  readonly usage: UsageLog;
}

/** Client authentication by identifier and secret, for every surface that takes them. */
export class SignIn {
  readonly #deps: SignInDeps;
  readonly #failures: FailureLimit;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#failures = new FailureLimit(deps.clock);
  }

  /**
   * The credential's present state. An unknown client, a wrong secret, and a credential that is revoked or expired are
   * refused alike, in words and in time.
   * @throws Problem `unauthorized`; `rate_limited` after ten failures a minute of this client from this address;
   * `unavailable` when this node can't know
   */
  async authenticate(request: SignInRequest): Promise<CredentialState> {
    const renewing = this.#deps.feed.ensureFresh();
    if (renewing !== undefined) await renewing;
    const key = `${request.clientId.slice(0, 64)} ${request.ip}`;
    this.#failures.check(key);
    const state = await this.#verify(request);
    if (state !== undefined) return state;
    this.#failures.fail(key);
    throw new Problem("unauthorized", "The client id or the client secret is not right, or the credential is no longer valid.");
  }

  async #verify(request: SignInRequest): Promise<CredentialState | undefined> {
    const { states, envelope } = this.#deps;
    if (!CLIENT_ID.test(request.clientId) || !isWellFormedSecret("mrcs", request.clientSecret)) {
      return this.#refuse(request, undefined, "malformed");
    }
    const hash = envelope.keyedHash(CLIENT_SECRET_HASH, request.clientSecret);
    const cached = states.cachedByClient(request.clientId);
    if (cached !== undefined && this.#accepts(cached, hash, request)) return cached;
    // Memory may be behind a secret that another node has just made. That an unknown client costs the same read hides it.
    const state = await states.readByClient(request.clientId);
    if (state !== undefined && this.#accepts(state, hash, request)) return state;
    return this.#refuse(request, state, reasonOf(state, this.#deps.clock.nowMs()));
  }

  #accepts(state: CredentialState, hash: Buffer, request: SignInRequest): boolean {
    const nowMs = this.#deps.clock.nowMs();
    const secret = liveSecret(state, hash, nowMs);
    if (secret === undefined || !isLive(state, nowMs)) return false;
    this.#deps.usage.touch(state.id, { secretId: secret, ip: request.ip });
    return true;
  }

  #refuse(request: SignInRequest, state: CredentialState | undefined, reason: string): undefined {
    if (state === undefined) timingSafeEqual(NO_HASH, NO_HASH);
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

export function isLive(state: CredentialState, nowMs: number): boolean {
  return state.revokedAtMs === null && (state.expiresAtMs === null || nowMs < state.expiresAtMs);
}

/** Id of the live secret with this hash; each is compared, in constant time. */
function liveSecret(state: CredentialState, hash: Buffer, nowMs: number): string | undefined {
  let found: string | undefined;
  for (const secret of state.secrets) {
    const equal = secret.hash.length === hash.length && timingSafeEqual(secret.hash, hash);
    if (equal && (secret.expiresAtMs === null || nowMs < secret.expiresAtMs)) found = secret.id;
  }
  return found;
}

/** For the audit log only; the caller isn't told. */
function reasonOf(state: CredentialState | undefined, nowMs: number): string {
  if (state === undefined) return "unknown client";
  if (state.revokedAtMs !== null) return "revoked";
  return isLive(state, nowMs) ? "wrong secret" : "expired";
}
