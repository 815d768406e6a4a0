import type { ProjectState } from "@mooring/contract";
import { lackingOf, type Lacking, type Standing } from "#domain/identity/access/index.ts";
import type { ChangeFeed, ChangeRow } from "#domain/identity/changes/index.ts";
import { trustsOf, type Trust } from "#domain/identity/federation/index.ts";
import { Problem } from "#kernel/problem.ts";
import { hasPassed, type Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { parsePolicy, renderScopes } from "./bounds.ts";
import { KINDS } from "./kinds.ts";
import { readParents } from "./parents.ts";
import { stateOf, type State } from "./state.ts";
import { credentialOfSecret, findContext, secretsOf, type CredentialContext, type SecretRow } from "./store.ts";

/** The current state of a credential that gets access tokens. Sign-in and verification use it. */
export interface CredentialState extends State {
  readonly id: string;
  readonly kind: CredentialContext["kind"];
  readonly clientId: string;
  /** The e-mail address of the person who owns this personal access token. Null: it is an app's credential. */
  readonly person: string | null;
  /** The id of that person. */
  readonly ownerId: string | null;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly projectId: string | null;
  readonly projectState: ProjectState;
  /** The scopes as text, for a token request without `scope`. */
  readonly scopeText: string;
  readonly epoch: number;
  /**
   * The organization's requirement that the owner of this personal access token does not meet. Null: they meet all, or
   * it is an app's credential.
   */
  readonly lacking: Lacking | null;
  readonly tokenLifetimeS: number;
  /** The origins of web pages that may use this ingest key. Null: no such limit. */
  readonly origins: readonly string[] | null;
  /** The most requests a second of this ingest key on each node. Null: no such limit. */
  readonly requestsPerSecond: number | null;
  readonly secrets: readonly {
    readonly id: string;
    readonly hash: Buffer;
    /** The key of the hash; null: from before keys were stored. */
    readonly hashKey: string | null;
    readonly expiresAtMs: number | null;
  }[];
  /** Tokens of these issuers replace a secret. */
  readonly trusts: readonly Trust[];
  /** The ids of its chain. */
  readonly chain: readonly string[];
}

/** About 2 kB each. Beyond this number the one that was read longest ago is dropped. */
const STATES_MAX = 20_000;

/** Reads the state from the database, without caches. */
export async function readState(
  metadata: Pick<MetadataStore, "read">,
  by: { publicId: string } | { id: string },
  nowMs: number,
): Promise<CredentialState | undefined> {
  const context = await findContext(metadata.read, "credential", by);
  if (context === undefined) return undefined;
  const secrets = await secretsOf(metadata.read, context.id);
  const trusts = await trustsOf(metadata.read, context.org_id, context.id);
  const chain = await readParents(metadata.read, context);
  return { ...credentialStateOf(context, chain, secrets, nowMs), trusts: trusts.map(trustOf) };
}

function trustOf({ id, issuer, audience, subject, claims }: Awaited<ReturnType<typeof trustsOf>>[number]): Trust {
  return { id, issuer, audience, subject, claims: JSON.parse(claims) as Trust["claims"] };
}

/** Returns the state without its trusts. */
function credentialStateOf(
  context: CredentialContext,
  chain: readonly CredentialContext[],
  secrets: readonly SecretRow[],
  nowMs: number,
): Omit<CredentialState, "trusts"> {
  const state = stateOf(context, chain, nowMs);
  const isPersons = KINDS[context.kind].ownedBy === "person";
  return {
    ...state,
    id: context.id,
    kind: context.kind,
    clientId: context.client_id,
    person: isPersons ? (context.responsible_email ?? "") : null,
    ownerId: isPersons ? context.responsible : null,
    orgId: context.org_id,
    orgSlug: context.org_slug,
    projectId: context.project_id,
    projectState: context.project_state,
    scopeText: renderScopes(state.scopes),
    epoch: context.epoch,
    lacking: isPersons ? lackingOf(parsePolicy(context.policy).people, standingOf(context)) : null,
    tokenLifetimeS: context.token_lifetime_s,
    origins: context.origins?.split(" ") ?? null,
    requestsPerSecond: context.rate,
    secrets: secrets.map((row) => ({
      id: row.id,
      hash: Buffer.from(row.hash, "hex"),
      hashKey: row.hash_key,
      expiresAtMs: row.expires_at,
    })),
    chain: chain.map((link) => link.id),
  };
}

/** Returns how the person can sign in, because a personal access token is used without a sign-in. */
function standingOf({ responsible_totp, responsible_passkeys, responsible_identities }: CredentialContext): Standing {
  const byProvider = Number(responsible_identities) > 0;
  return { byProvider, hasSecondFactor: byProvider || Number(responsible_totp) + Number(responsible_passkeys) > 0 };
}

/** States in memory. The change feed removes them. A caller must first make sure that the feed is fresh. */
export class CredentialStates {
  readonly #metadata: MetadataStore;
  readonly #clock: Clock;
  readonly #byId = new Map<string, CredentialState>();
  readonly #idOfClient = new Map<string, string>();
  /** By the hash of the secret, for the kinds that are found by it. */
  readonly #idOfSecret = new Map<string, string>();
  /** Reads under way. A change removes them, so that their outdated result is not cached. */
  readonly #reading = new Map<string, Promise<CredentialState | undefined>>();

  constructor(metadata: MetadataStore, clock: Clock, feed: Pick<ChangeFeed, "subscribe">) {
    this.#metadata = metadata;
    this.#clock = clock;
    feed.subscribe({ apply: (changes) => this.#apply(changes), reset: () => this.#forgetAll() });
  }

  /** Returns a state from memory only. */
  cachedByClient(clientId: string): CredentialState | undefined {
    const id = this.#idOfClient.get(clientId);
    return id === undefined ? undefined : this.cachedById(id);
  }

  /** Returns a state from memory only. Undefined if a membership has ended since it was read. */
  cachedById(id: string): CredentialState | undefined {
    const state = this.#byId.get(id);
    const changesAtMs = state?.changesAtMs ?? null;
    return changesAtMs !== null && hasPassed(changesAtMs, this.#clock.nowMs()) ? undefined : state;
  }

  async byClient(clientId: string): Promise<CredentialState | undefined> {
    return this.cachedByClient(clientId) ?? this.readByClient(clientId);
  }

  async byId(id: string): Promise<CredentialState | undefined> {
    return this.cachedById(id) ?? this.readById(id);
  }

  /** Reads from the database, for a caller that suspects that memory is outdated. */
  readByClient(clientId: string): Promise<CredentialState | undefined> {
    return this.#read(`client ${clientId}`, { publicId: clientId });
  }

  readById(id: string): Promise<CredentialState | undefined> {
    return this.#read(`id ${id}`, { id });
  }

  /**
   * Finds a state by a secret that was sent without an identifier.
   * @throws Problem `unavailable`
   */
  async bySecret(hash: string): Promise<CredentialState | undefined> {
    const known = this.cachedById(this.#idOfSecret.get(hash) ?? "");
    if (known !== undefined) return known;
    const id = await credentialOfSecret(this.#metadata.read, hash).catch((error: unknown) => {
      throw unreachable(error);
    });
    return id === undefined ? undefined : this.byId(id);
  }

  #read(key: string, by: { publicId: string } | { id: string }): Promise<CredentialState | undefined> {
    const known = this.#reading.get(key);
    if (known !== undefined) return known;
    const reading = readState(this.#metadata, by, this.#clock.nowMs()).then(
      (state) => {
        if (this.#reading.get(key) === reading) {
          this.#reading.delete(key);
          if (state !== undefined) this.#keep(state);
        }
        return state;
      },
      (error: unknown) => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key);
        throw unreachable(error);
      },
    );
    this.#reading.set(key, reading);
    return reading;
  }

  #keep(state: CredentialState): void {
    this.#byId.delete(state.id);
    this.#byId.set(state.id, state);
    this.#idOfClient.set(state.clientId, state.id);
    for (const hash of soleSecretsOf(state)) this.#idOfSecret.set(hash, state.id);
    if (this.#byId.size <= STATES_MAX) return;
    const oldest = this.#byId.values().next();
    if (oldest.done !== true) this.#forget(oldest.value);
  }

  #forget(state: CredentialState): void {
    this.#byId.delete(state.id);
    this.#idOfClient.delete(state.clientId);
    for (const hash of soleSecretsOf(state)) this.#idOfSecret.delete(hash);
  }

  #apply(changes: readonly ChangeRow[]): void {
    const subjects = new Set(
      changes.filter((row) => row.kind === "credential" || row.kind === "organization").map((row) => row.subject),
    );
    if (subjects.size === 0) return;
    this.#reading.clear(); // Drops all states of the organization, because reading them again is cheap.
    for (const state of this.#byId.values()) {
      if (subjects.has(state.id) || subjects.has(state.orgId) || state.chain.some((id) => subjects.has(id)))
        this.#forget(state);
    }
  }

  #forgetAll(): void {
    this.#reading.clear();
    this.#byId.clear();
    this.#idOfClient.clear();
    this.#idOfSecret.clear();
  }
}

/** Returns the hashes that find the state. */
function soleSecretsOf({ kind, secrets }: CredentialState): string[] {
  return !KINDS[kind].isFoundBySecret ? [] : secrets.map(({ hash }) => hash.toString("hex"));
}

function unreachable(cause: unknown): Problem {
  return new Problem(
    "unavailable",
    "This node can't check credentials now, because it can't reach its database. Try again shortly.",
    { cause },
  );
}
