import { appendAuthChange } from "#domain/identity/changes/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { creatorScopes, NO_SCOPES, parseScopes, renderScopes } from "./bounds.ts";
import { announce, nextEpoch } from "./common.ts";
import { KINDS, TABLES, type KindName } from "./kinds.ts";
import {
  contextsOf,
  findMemberRole,
  liveIds,
  revokeRow,
  setCreator,
  updateRow,
  type AnyContext,
  type Context,
} from "./store.ts";

export interface HandOverDeps {
  readonly metadata: Pick<MetadataStore, "lock" | "notify">;
  readonly clock: Clock;
}

export type PersonalToken = Context<"credential">;

const KIND_NAMES = Object.keys(KINDS) as KindName[];
const OF_ORGANIZATION = KIND_NAMES.filter((kind) => KINDS[kind].ownedBy === "organization");
const OF_PERSON = KIND_NAMES.filter((kind) => KINDS[kind].ownedBy === "person");
const OF_PROJECT = KIND_NAMES.filter((kind) => TABLES[KINDS[kind].table].endsWithProject);

/** Returns, by kind, the ids of the credentials that a person or a credential created and that are not revoked. */
export async function createdBy(db: Reader, orgId: string, id: string): Promise<Readonly<Record<KindName, string[]>>> {
  const ids: Record<KindName, string[]> = { app: [], personal: [], s3: [] };
  for (const kind of OF_ORGANIZATION) ids[kind] = await liveIds(db, kind, { orgId, createdBy: id });
  return ids;
}

/**
 * Makes `to` responsible for the credentials that `from` created, in the caller's transaction. They gain no
 * permissions, because `from` still knows the secrets. The personal access tokens of `from` end. Returns the ids of the
 * transferred credentials.
 */
export async function transferCredentials(
  deps: HandOverDeps,
  tx: Writer,
  options: { orgId: string; from: string; to: string },
): Promise<string[]> {
  const { orgId, from, to } = options;
  const passed: string[] = [];
  const becomesOwners = (await findMemberRole(tx, orgId, to)) === "owner";
  for (const kind of OF_ORGANIZATION) {
    for (const context of await liveContexts(tx, kind, { orgId, createdBy: from })) {
      await updateRow(tx, context.id, { scopes: renderScopes(keptScopes(context, becomesOwners)) });
      passed.push(context.id);
    }
    await setCreator(tx, kind, options);
  }
  for (const kind of OF_PERSON) await revokeAll(deps, tx, kind, { orgId, createdBy: from });
  await appendAuthChange(deps, tx, { kind: "organization", subject: orgId });
  return passed;
}

function keptScopes(context: AnyContext, becomesOwners: boolean): ReturnType<typeof parseScopes> {
  const held = creatorScopes(context, undefined) ?? NO_SCOPES;
  // Drops `members:write` if the new creator is an owner, because the credential could then create and remove owners.
  const grows = becomesOwners && context.creator_role !== "owner";
  const kept = [...parseScopes(context.scopes)].filter(
    (scope) => held.has(scope) && !(grows && scope === "members:write"),
  );
  return new Set(kept);
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
  for (const kind of OF_PERSON) count += (await revokeAll(deps, tx, kind, { createdBy: userId })).length;
  return count;
}

/** Returns a person's personal access tokens in all organizations, without revoked ones, newest first. */
export async function personalTokensOf(db: Reader, userId: string): Promise<PersonalToken[]> {
  const ids = await liveIds(db, "personal", { createdBy: userId });
  return (await contextsOf(db, KINDS.personal.table, ids)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** Makes every node read this person's tokens again, in the transaction that changes the person's name or factors. */
export async function announcePersonalTokens(deps: HandOverDeps, tx: Writer, userId: string): Promise<void> {
  for (const kind of OF_PERSON)
    for (const { id, epoch } of await liveContexts(tx, kind, { createdBy: userId }))
      await announce(deps, tx, id, epoch);
}

async function revokeAll(
  deps: HandOverDeps,
  tx: Writer,
  kind: KindName,
  of: Parameters<typeof liveIds>[2],
): Promise<string[]> {
  const contexts = await liveContexts(tx, kind, of);
  const atMs = deps.clock.nowMs();
  // Locks all rows before the feed. A concurrent change of a credential takes the locks in the same order.
  for (const row of contexts) await revokeRow(tx, row.id, { atMs, epoch: nextEpoch(row) });
  for (const row of contexts) await announce(deps, tx, row.id, nextEpoch(row));
  return contexts.map(({ id }) => id);
}

async function liveContexts(tx: Writer, kind: KindName, of: Parameters<typeof liveIds>[2]): Promise<AnyContext[]> {
  return contextsOf(tx, KINDS[kind].table, await liveIds(tx, kind, of));
}
