import { hash, timingSafeEqual } from "node:crypto";
import { requireAnywhere, type Authenticator, type Principal } from "#domain/identity/access/index.ts";
import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Lookups } from "#domain/identity/keys/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import { allowsOrigin } from "./origins.ts";
import { refusedActorOf, type Gate } from "./gate.ts";
import type { RenewHash } from "./hash-renewal.ts";
import { KeyRates } from "./key-rates.ts";
import { KINDS } from "./kinds.ts";
import { principalOfState } from "./principal.ts";
import type { RefusalLog } from "./refusals.ts";
import { CLIENT_SECRET_HASH, ruleOfEnding } from "./sign-in.ts";
import { endingOf } from "./state.ts";
import type { CredentialState, CredentialStates } from "./states.ts";
import type { UsageLog } from "./usage.ts";

export interface SenderRequest {
  /** An ingest key. Or an access token of a credential. */
  readonly secret: string;
  readonly ip: string;
  readonly requestId: string;
  /** The field `Origin` of a browser. */
  readonly origin?: string | undefined;
  /** Called with the ingest key that has the secret, also if it is then refused. */
  readonly known?: (key: { readonly id: string; readonly orgId: string }) => void;
}

export interface SendersDeps {
  readonly clock: Clock;
  readonly envelope: Pick<Lookups, "hasher" | "lookupHashes">;
  readonly renewHash: RenewHash;
  readonly states: CredentialStates;
  readonly feed: ChangeFeed;
  readonly refusals: Pick<RefusalLog, "record">;
  readonly usage: Pick<UsageLog, "touch">;
  readonly gate: Gate;
  /** For access tokens. */
  readonly authenticator: Authenticator;
  readonly log: { warn(fields: object, message: string): void };
}

type Secret = CredentialState["secrets"][number];

/** About 200 bytes each. */
const KNOWN_MAX = 20_000;
const UNKNOWN_MAX = 1_000;
/** A key that does not exist is looked up in the database this often. */
const UNKNOWN_MS = 10_000;
const LOG_EVERY_MS = 60_000;

/**
 * Authentication of programs that send telemetry, for every protocol. A program sends its ingest key with each request, so
 * a known key costs one SHA-256 and no read of the database. The feed of changes keeps the states of keys up to date.
 */
export class Senders {
  readonly #deps: SendersDeps;
  readonly #rates: KeyRates;
  /** By SHA-256 of the secret. A secret never moves to another key, so entries stay true. */
  readonly #known = new Map<string, { readonly id: string; readonly secretId: string }>();
  readonly #unknown = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  #refused = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SendersDeps) {
    this.#deps = deps;
    this.#rates = new KeyRates(deps.clock);
    const changed = (): void => this.#watchers.forEach((check) => check());
    deps.feed.subscribe({ apply: changed, reset: changed });
  }

  /**
   * Returns the principal, which has the scope `telemetry:write` for some resource.
   * @throws Problem `unauthorized`, `invalid_token`; `approval_pending`, `address_not_allowed`, `cross_site`,
   * `insufficient_scope`, `organization_blocked`, `organization_read_only`; `rate_limited`; `unavailable`
   */
  async authenticate(request: SenderRequest): Promise<Principal> {
    const principal = await this.#principalOf(request);
    requireAnywhere(principal, "telemetry:write");
    return principal;
  }

  /**
   * Calls `ended` once when a connection with this secret must end, for example because its key was revoked. Not at its
   * expiry: the next `authenticate` refuses it. Returns a function that stops this.
   */
  watch(request: SenderRequest, ended: (problem: unknown) => void): () => void {
    const check = (): void => {
      this.#check(request).catch((error: unknown) => {
        if (this.#watchers.delete(check)) ended(error);
      });
    };
    this.#watchers.add(check);
    return () => this.#watchers.delete(check);
  }

  /** Makes the checks of `authenticate`, without a use and without a token of the rate limit. */
  async #check({ secret, ip, requestId }: SenderRequest): Promise<void> {
    if (!isIngestKey(secret)) {
      await this.#deps.authenticator.authenticate(secret, { ip, requestId });
      return;
    }
    const found = await this.#find(digestOf(secret), secret);
    if (found === undefined || this.#endingOf(found) !== undefined) throw refusal("was revoked or has expired");
    this.#deps.gate.require(found.state, { ip, requestId });
  }

  async #principalOf(request: SenderRequest): Promise<Principal> {
    const { authenticator, feed, gate, usage } = this.#deps;
    const { secret: text, ip, requestId, origin } = request;
    if (!isIngestKey(text)) return authenticator.authenticate(text, { ip, requestId });
    await feed.ensureFresh();
    const found = await this.#find(digestOf(text), text);
    if (found === undefined) throw this.#refuse(request, undefined, "unknown key");
    const { state, secret } = found;
    request.known?.({ id: state.id, orgId: state.orgId });
    const ending = this.#endingOf(found);
    if (ending !== undefined) throw this.#refuse(request, state, ending);
    gate.require(state, { ip, requestId });
    if (!allowsOrigin(state.origins, origin)) throw this.#refuseOrigin(request, state);
    this.#rates.take(state);
    usage.touch(state.id, { secretId: secret.id, ip });
    // No other scope, even if an imported row has one.
    const scopes = new Set(KINDS.ingest.scopes.filter((scope) => state.scopes.has(scope)));
    return principalOfState(state, { scopes, withheld: state.withheld });
  }

  /** Returns the key with this secret, from memory if possible. @throws Problem `unavailable` */
  async #find(digest: string, text: string): Promise<{ state: CredentialState; secret: Secret } | undefined> {
    const known = this.#known.get(digest);
    if (known === undefined) return this.#lookUp(digest, text);
    const { states } = this.#deps;
    const state = states.cachedById(known.id) ?? (await states.readById(known.id));
    const secret = state?.secrets.find(({ id }) => id === known.secretId);
    return state === undefined || secret === undefined ? undefined : { state, secret };
  }

  async #lookUp(digest: string, text: string): Promise<{ state: CredentialState; secret: Secret } | undefined> {
    const { envelope, states, renewHash, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const isKnownWrong = Math.abs(nowMs - (this.#unknown.get(digest) ?? Number.NEGATIVE_INFINITY)) < UNKNOWN_MS;
    if (isKnownWrong || !isWellFormedSecret(KINDS.ingest.secretPrefix, text)) return undefined;
    const hasher = envelope.hasher(CLIENT_SECRET_HASH, text);
    let state: CredentialState | undefined;
    for (const { hash: possible } of envelope.lookupHashes(CLIENT_SECRET_HASH, text))
      state ??= await states.bySecret(possible.toString("hex"));
    const secret = state?.secrets.find(({ hash: own, hashKey }) => isSame(own, hasher.under(hashKey).hash));
    if (state?.kind !== "ingest" || secret === undefined) {
      keep(this.#unknown, digest, nowMs, UNKNOWN_MAX);
      return undefined;
    }
    if (hasher.under(secret.hashKey) !== hasher.current) renewHash(secret, hasher.current);
    keep(this.#known, digest, { id: state.id, secretId: secret.id }, KNOWN_MAX);
    return { state, secret };
  }

  #endingOf({ state, secret }: { state: CredentialState; secret: Secret }): string | undefined {
    const nowMs = this.#deps.clock.nowMs();
    const ending = endingOf(state, nowMs);
    if (ending !== undefined) return ending;
    return secret.expiresAtMs === null || nowMs < secret.expiresAtMs ? undefined : "expired after its rotation";
  }

  #refuse(request: SenderRequest, state: CredentialState | undefined, reason: string): Problem {
    this.#record(request, state, reason);
    if (state === undefined) return refusal("does not exist on this server");
    const problem = refusal(`${reason.startsWith("revoked") ? "was" : "has"} ${reason}`);
    problem.options.facts = () => ({ rule: ruleOfEnding(reason), actor: refusedActorOf(state) });
    return problem;
  }

  #refuseOrigin(request: SenderRequest, state: CredentialState): Problem {
    this.#record(request, state, "origin not allowed");
    const from =
      request.origin === undefined ? "programs that send no Origin" : `pages of ${request.origin.slice(0, 270)}`;
    return new Problem(
      "cross_site",
      `The ingest key may not be used by ${from}. Its origins are: ${state.origins?.join(", ")}`,
    );
  }

  /** Counts the refusal by key and address, in the audit log. The log of the server gets a line a minute at most. */
  #record({ ip, requestId }: SenderRequest, state: CredentialState | undefined, reason: string): void {
    const { refusals, clock, log } = this.#deps;
    const id = state?.id ?? null;
    const key = { orgId: state?.orgId ?? null, credentialId: id, clientId: state?.clientId ?? null };
    refusals.record({ ...key, signedIn: false, reason, ip, requestId });
    this.#refused += 1;
    const nowMs = clock.nowMs();
    if (Math.abs(nowMs - this.#loggedAtMs) < LOG_EVERY_MS) return;
    log.warn({ refused: this.#refused, last: { key: id, ip, reason } }, "ingest keys were refused");
    this.#loggedAtMs = nowMs;
    this.#refused = 0;
  }
}

/** Whether the text has the prefix of ingest keys. */
export function isIngestKey(text: string): boolean {
  return text.startsWith(`${KINDS.ingest.secretPrefix}_`);
}

function refusal(how: string): Problem {
  return new Problem(
    "unauthorized",
    `The ingest key ${how}. Create one with: mooring ingest-key create, or in the portal under Ingest keys.`,
  );
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Keeps the newest entries. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > most ? map.keys().next() : undefined;
  if (oldest !== undefined && oldest.done !== true) map.delete(oldest.value);
}
