import type { ProjectState, Scope } from "@mooring/contract";
import type { ChangeFeed, ChangeRow } from "#domain/identity/changes/index.ts";
import { trustsOf, type Trust } from "#domain/identity/federation/index.ts";
import { type Withheld, lackingOf, type Lacking, type Standing } from "#domain/identity/access/index.ts";
import { isId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { addressTest, parseAddresses, type AddressTest } from "./addresses.ts";
import { boundsOf, parsePolicy, renderScopes, type CreatorCredential, type EndedBy } from "./bounds.ts";
import { credentialOfSecret, findContext, secretsOf, type CredentialContext, type SecretRow } from "./store.ts";

/** A credential as it is now: what sign-in and verification decide by. */
export interface CredentialState {
  readonly id: string;
  readonly clientId: string;
  /** Whose own token it is, by e-mail address; null: an app's. */
  readonly person: string | null;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly projectId: string | null;
  readonly projectState: ProjectState;
  /** Cut by the creator's present scopes and the organization's policy. */
  readonly scopes: ReadonlySet<Scope>;
  /** What was cut, and why. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  /** The same as text, for a token that asks for all. */
  readonly scopeText: string;
  readonly epoch: number;
  readonly revokedAtMs: number | null;
  /** A credential that it was created through was revoked, and it ended with that. */
  readonly revokedWith: { readonly id: string; readonly atMs: number } | null;
  /** Its own expiry, the policy's, or its creator's, whichever is first. */
  readonly expiresAtMs: number | null;
  /** Whose that is; null: its own. */
  readonly expiresBy: EndedBy | null;
  /** Nobody has approved it yet. */
  readonly isPending: boolean;
  /** What the organization asks of its people and whoever's own token this is can't show; null: nothing, or an app's. */
  readonly lacking: Lacking | null;
  /** By its own addresses, those of the credentials that created it, and the organization's. Null: from anywhere. */
  readonly allows: AddressTest | null;
  readonly tokenLifetimeS: number;
  readonly secrets: readonly { readonly id: string; readonly hash: Buffer; readonly expiresAtMs: number | null }[];
  /** Tokens of these issuers stand for a secret. */
  readonly trusts: readonly Trust[];
  /** The credentials that created it, one by one. */
  readonly createdThrough: readonly string[];
}

/** Chains of credentials that create credentials end here: beyond, nothing is allowed. */
const CREATION_DEPTH_MAX = 8;
/** About 2 kB each. Beyond it the one that was read longest ago is forgotten. */
const STATES_MAX = 20_000;

/** Reads the state past every cache. */
export async function readState(
  metadata: Pick<MetadataStore, "read">,
  by: { clientId: string } | { id: string },
): Promise<CredentialState | undefined> {
  const context = await findContext(metadata.read, by);
  if (context === undefined) return undefined;
  const secrets = await secretsOf(metadata.read, context.id);
  const trusts = await trustsOf(metadata.read, context.org_id, context.id);
  const chain = await readCreators(metadata, context);
  return { ...stateOf(context, chain, secrets), trusts: trusts.map(trustOf) };
}

/** What a list of credentials needs of each; the same rules as for one. */
export async function readCreators(
  metadata: Pick<MetadataStore, "read">,
  context: CredentialContext,
): Promise<CredentialContext[]> {
  const chain: CredentialContext[] = [];
  let last = context;
  while (isId("cred", last.created_by) && chain.length < CREATION_DEPTH_MAX) {
    const creator = await findContext(metadata.read, { id: last.created_by });
    if (creator === undefined || creator.org_id !== context.org_id) break;
    chain.push(creator);
    last = creator;
  }
  return chain;
}

/** @throws Problem `forbidden` where the credential is the last that may create another */
export async function requireDepth(db: Reader, creatorId: string): Promise<void> {
  const creator = await findContext(db, { id: creatorId });
  const depth = creator === undefined ? 0 : (await readCreators({ read: db }, creator)).length + 1;
  if (depth < CREATION_DEPTH_MAX) return;
  throw new Problem(
    "forbidden",
    `Credentials create credentials at most ${CREATION_DEPTH_MAX} deep; let a person create this one.`,
  );
}

function trustOf({ id, issuer, audience, subject, claims }: Awaited<ReturnType<typeof trustsOf>>[number]): Trust {
  return { id, issuer, audience, subject, claims: JSON.parse(claims) as Trust["claims"] };
}

/** All but by whose tokens it may sign in. */
export function stateOf(
  context: CredentialContext,
  chain: readonly CredentialContext[],
  secrets: readonly SecretRow[],
): Omit<CredentialState, "trusts"> {
  let creator: CreatorCredential | undefined;
  for (const link of chain.toReversed()) {
    const bounds = boundsOf(link, creator);
    creator = { id: link.id as `cred_${string}`, projectId: link.project_id, bounds };
  }
  const bounds = boundsOf(context, creator);
  return {
    id: context.id,
    clientId: context.client_id,
    person: context.kind === "personal" ? (context.creator_email ?? "") : null,
    orgId: context.org_id,
    orgSlug: context.org_slug,
    projectId: context.project_id,
    projectState: context.project_state,
    scopes: bounds.scopes,
    scopeText: renderScopes(bounds.scopes),
    withheld: bounds.withheld,
    epoch: context.epoch,
    revokedAtMs: context.revoked_at,
    revokedWith: revokedOf(chain),
    expiresAtMs: bounds.expiresAtMs,
    expiresBy: bounds.expiresBy,
    isPending: context.pending === 1,
    lacking: context.kind === "personal" ? lackingOf(parsePolicy(context.policy).people, standingOf(context)) : null,
    allows: addressTest([
      ...[context, ...chain].map((link) => parseAddresses(link.allowed_addresses)),
      parsePolicy(context.policy).addresses,
    ]),
    tokenLifetimeS: context.token_lifetime_s,
    secrets: secrets.map((row) => ({ id: row.id, hash: Buffer.from(row.hash, "hex"), expiresAtMs: row.expires_at })),
    createdThrough: chain.map((link) => link.id),
  };
}

/** The first of the credentials that it was created through which was revoked. */
function revokedOf(chain: readonly CredentialContext[]): CredentialState["revokedWith"] {
  for (const { id, revoked_at: atMs } of chain) if (atMs !== null) return { id, atMs };
  return null;
}

/** A token is used without a sign-in, so what counts is how its person can. */
function standingOf({ creator_totp, creator_passkeys, creator_identities }: CredentialContext): Standing {
  const byProvider = Number(creator_identities) > 0;
  return { byProvider, hasSecondFactor: byProvider || Number(creator_totp) + Number(creator_passkeys) > 0 };
}

/** States in memory. The change feed makes them be forgotten; whoever decides by them asks the feed first whether it is fresh. */
export class CredentialStates {
  readonly #metadata: MetadataStore;
  readonly #byId = new Map<string, CredentialState>();
  readonly #idOfClient = new Map<string, string>();
  /** Reads under way. A change takes them out, so that what they bring is not kept. */
  readonly #reading = new Map<string, Promise<CredentialState | undefined>>();

  constructor(metadata: MetadataStore, feed: Pick<ChangeFeed, "subscribe">) {
    this.#metadata = metadata;
    feed.subscribe({ apply: (changes) => this.#apply(changes), reset: () => this.#forgetAll() });
  }

  /** Only from memory. */
  cachedByClient(clientId: string): CredentialState | undefined {
    const id = this.#idOfClient.get(clientId);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Only from memory. */
  cachedById(id: string): CredentialState | undefined {
    return this.#byId.get(id);
  }

  async byClient(clientId: string): Promise<CredentialState | undefined> {
    return this.cachedByClient(clientId) ?? this.readByClient(clientId);
  }

  async byId(id: string): Promise<CredentialState | undefined> {
    return this.#byId.get(id) ?? this.readById(id);
  }

  /** From the database, for whoever has a reason to think that memory is behind. */
  readByClient(clientId: string): Promise<CredentialState | undefined> {
    return this.#read(`client ${clientId}`, { clientId });
  }

  readById(id: string): Promise<CredentialState | undefined> {
    return this.#read(`id ${id}`, { id });
  }

  /** Of a token of a person's own, which names no credential. @throws Problem `unavailable` */
  async bySecret(hash: string): Promise<CredentialState | undefined> {
    const id = await credentialOfSecret(this.#metadata.read, hash).catch((error: unknown) => {
      throw unreachable(error);
    });
    return id === undefined ? undefined : this.byId(id);
  }

  #read(key: string, by: { clientId: string } | { id: string }): Promise<CredentialState | undefined> {
    const known = this.#reading.get(key);
    if (known !== undefined) return known;
    const reading = readState(this.#metadata, by).then(
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
    if (this.#byId.size <= STATES_MAX) return;
    const oldest = this.#byId.values().next();
    if (oldest.done !== true) this.#forget(oldest.value);
  }

  #forget(state: CredentialState): void {
    this.#byId.delete(state.id);
    this.#idOfClient.delete(state.clientId);
  }

  #apply(changes: readonly ChangeRow[]): void {
    const subjects = new Set(
      changes.filter((row) => row.kind === "credential" || row.kind === "organization").map((row) => row.subject),
    );
    if (subjects.size === 0) return;
    this.#reading.clear(); // whichever they are about: reading once more is cheap
    for (const state of this.#byId.values()) {
      if (subjects.has(state.id) || subjects.has(state.orgId) || state.createdThrough.some((id) => subjects.has(id)))
        this.#forget(state);
    }
  }

  #forgetAll(): void {
    this.#reading.clear();
    this.#byId.clear();
    this.#idOfClient.clear();
  }
}

function unreachable(cause: unknown): Problem {
  return new Problem(
    "unavailable",
    "This node can't check credentials now, because it can't reach its database. Try again shortly.",
    { cause },
  );
}
