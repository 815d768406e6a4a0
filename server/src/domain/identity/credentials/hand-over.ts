import type { Scope } from "@mooring/contract";
import { heldScopes, type PersonPrincipal, type Resource } from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { withinPolicy } from "./actor.ts";
import { keptScopes, makeResponsible } from "./adopt.ts";
import { NO_SCOPES, parsePolicy, parseScopes, responsibleScopes } from "./bounds.ts";
import { announce, nextEpoch } from "./common.ts";
import { KINDS, TABLES, type KindName } from "./kinds.ts";
import { originOf, readParents, type Originator } from "./parents.ts";
import { parentOf } from "./state.ts";
import { contextsOf, liveIds, revokeRow, type AnyContext, type Context } from "./store.ts";

export interface HandOverDeps {
  readonly metadata: Pick<MetadataStore, "lock" | "notify">;
  readonly clock: Clock;
}

export type PersonalToken = Context<"credential">;

const KIND_NAMES = Object.keys(KINDS) as KindName[];
const OF_PERSON = KIND_NAMES.filter((kind) => KINDS[kind].ownedBy === "person");
const OF_PROJECT = KIND_NAMES.filter((kind) => TABLES[KINDS[kind].table].endsWithProject);

/** The one who becomes responsible. `scopesAt` returns their scopes there. Undefined: it is hidden from them. */
export interface Heir {
  readonly id: string;
  readonly origin: Originator | undefined;
  scopesAt(resource: Resource): ReadonlySet<Scope> | undefined;
}

export function heirOf(person: PersonPrincipal): Heir {
  return {
    id: person.id,
    origin: { userId: person.id, role: person.role, endsAtMs: person.endsAtMs },
    scopesAt: (resource) => heldScopes(person, resource),
  };
}

/**
 * Makes the heir responsible for a credential that would lose scopes, in the caller's transaction. `context` is from
 * before the change. It keeps the scopes that it had and that the heir has, because others still know the secret. False:
 * it stays, because the heir can't see it, or it would have no scope.
 */
export async function passOn(
  { clock }: Pick<HandOverDeps, "clock">,
  tx: Writer,
  { context, heir }: { readonly context: AnyContext; readonly heir: Heir },
): Promise<boolean> {
  const chain = await readParents(tx, context);
  const nowMs = clock.nowMs();
  const before = responsibleScopes(context, parentOf(chain, nowMs), nowMs) ?? NO_SCOPES;
  const given = heir.scopesAt(resourceOf(context)) ?? NO_SCOPES;
  const kept = keptScopes(context, {
    given: new Set(withinPolicy(before, parsePolicy(context.policy)).filter((scope) => given.has(scope))),
    before: originOf(context, chain, nowMs),
    after: heir.origin,
  });
  if (kept.size === 0) return false;
  const isLowered = kept.size < parseScopes(context.scopes).size;
  const epoch = isLowered ? nextEpoch(context) : context.epoch;
  await makeResponsible(tx, context, chain, { to: heir.id, kept, pending: 0, nowMs, epoch });
  return true;
}

/** Revokes these credentials, in the caller's transaction. */
export async function revokeRows(deps: HandOverDeps, tx: Writer, contexts: readonly AnyContext[]): Promise<void> {
  const atMs = deps.clock.nowMs();
  // Locks all rows before the feed. A concurrent change of a credential takes the locks in the same order.
  for (const row of contexts) await revokeRow(tx, row.id, { atMs, epoch: nextEpoch(row) });
  for (const row of contexts) await announce(deps, tx, row.id, nextEpoch(row));
}

/** Revokes a person's personal access tokens in one organization. Returns their number. */
export async function endPersonalTokens(
  deps: HandOverDeps,
  tx: Writer,
  orgId: string,
  userId: string,
): Promise<number> {
  let count = 0;
  for (const kind of OF_PERSON) count += (await revokeAll(deps, tx, kind, { orgId, responsible: userId })).length;
  return count;
}

/**
 * Revokes the credentials that end with a deleted project, in the caller's transaction. Returns their ids, for the
 * audit log.
 */
export async function revokeCredentialsOfProject(
  deps: HandOverDeps,
  tx: Writer,
  project: { orgId: string; projectId: string },
): Promise<string[]> {
  const ids: string[] = [];
  for (const kind of OF_PROJECT) ids.push(...(await revokeAll(deps, tx, kind, project)));
  return ids;
}

/**
 * Revokes a person's personal access tokens in all organizations, in the caller's transaction. Returns their number.
 */
export async function revokePersonalTokens(deps: HandOverDeps, tx: Writer, userId: string): Promise<number> {
  let count = 0;
  for (const kind of OF_PERSON) count += (await revokeAll(deps, tx, kind, { responsible: userId })).length;
  return count;
}

/** Returns a person's personal access tokens in all organizations, without revoked ones, newest first. */
export async function personalTokensOf(db: Reader, userId: string): Promise<PersonalToken[]> {
  const ids = await liveIds(db, "personal", { responsible: userId });
  return (await contextsOf(db, KINDS.personal.table, ids)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** Makes every node read this person's tokens again, in the transaction that changes the person's name or factors. */
export async function announcePersonalTokens(deps: HandOverDeps, tx: Writer, userId: string): Promise<void> {
  for (const kind of OF_PERSON)
    for (const { id, epoch } of await liveContexts(tx, kind, { responsible: userId }))
      await announce(deps, tx, id, epoch);
}

async function revokeAll(
  deps: HandOverDeps,
  tx: Writer,
  kind: KindName,
  of: Parameters<typeof liveIds>[2],
): Promise<string[]> {
  const contexts = await liveContexts(tx, kind, of);
  await revokeRows(deps, tx, contexts);
  return contexts.map(({ id }) => id);
}

async function liveContexts(tx: Writer, kind: KindName, of: Parameters<typeof liveIds>[2]): Promise<AnyContext[]> {
  return contextsOf(tx, KINDS[kind].table, await liveIds(tx, kind, of));
}
