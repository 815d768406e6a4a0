import type { Orphans, Scope } from "@mooring/contract";
import { heldScopes, holds, reachOf, type Resource } from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditActorOf, creatorOf, requireMayRevoke, requirePermission, type ActorContext } from "./actor.ts";
import { adoptRow, notAdopted, originOfActor } from "./adopt.ts";
import { parseAddresses, renderAddresses, requireAddresses } from "./addresses.ts";
import { APPROVER_SCOPE } from "./approval.ts";
import { ALL_SCOPES, parsePolicy, parseScopes, renderScopes } from "./bounds.ts";
import { actionOf, announce, audit, detailOf, found, nextEpoch, type CredentialsDeps } from "./common.ts";
import {
  auditLosses,
  judged,
  lossesOf,
  planOf,
  rehearsePlan,
  requirePlan,
  watch,
  type Loss,
  type Plan,
  type Watched,
} from "./effects.ts";
import {
  requireKnownScopes,
  requireName,
  requireScopesOfKind,
  type CredentialChange,
  type CredentialListing,
} from "./input.ts";
import { requireUnrevoked, requireUsable, type Check } from "./change-checks.ts";
import { changedLimits } from "./changed-limits.ts";
import { tableRuleOf, TABLES, type Table } from "./kinds.ts";
import { passOn } from "./hand-over.ts";
import { requireDepth } from "./parents.ts";
import { requireScopesWithin } from "./resources.ts";
import { spanOf, widenerOf } from "./span.ts";
import {
  contextsOf,
  countLive,
  findOrganization,
  listIds,
  revokeRow,
  updateRow,
  type AnyContext,
  type Context,
} from "./store.ts";
import { versionOf, viewOf, type Views } from "./view.ts";
import { isWiderRange, requireMayWiden } from "./widening.ts";

/** Whether every live node has applied a change. False if one has not within two seconds. */
export interface Propagation {
  readonly propagated: boolean;
}

/**
 * Management of the credentials of one table, for the API and the command line. Every operation is checked, audited and
 * announced to all nodes.
 */
export interface Managed<T extends Table> {
  /** @throws Problem `not_found`, `insufficient_scope` */
  get(acting: ActorContext, name: string): Promise<Views[T]>;
  /** Returns a page of the credentials that the actor may see, newest first. @throws Problem `invalid_parameter` */
  list(acting: ActorContext, listing: CredentialListing): Promise<{ items: Views[T][]; nextCursor: string | null }>;
  /** Counts the credentials that are neither revoked nor expired at that time. */
  count(orgId: string, atMs: number): Promise<number>;
  /**
   * Changes the name, the scopes or the limits. Lowering the scopes makes issued tokens void.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `conflict`, `concurrent_update`
   */
  update(
    acting: ActorContext,
    name: string,
    change: CredentialChange,
    ifMatch?: string,
  ): Promise<Propagation & { credential: Views[T] }>;
  /** Approves a credential. To refuse it, revoke it. @throws Problem `not_found`, `insufficient_scope`, `conflict` */
  approve(acting: ActorContext, name: string): Promise<Views[T]>;
  /**
   * Makes the actor responsible. The credential gains nothing: it keeps those of its scopes that the actor has and the
   * policy allows, and the limits of its chain. Its tokens become void.
   * @throws Problem `not_found`, `insufficient_scope`, `forbidden`, `conflict` (a personal token; it was revoked itself,
   * or with its parent after a leak; the actor depends on it)
   */
  adopt(acting: ActorContext, name: string): Promise<Propagation & { credential: Views[T] }>;
  /**
   * Revokes a credential and all its tokens. Resolves when every live node has applied it. Repeating it changes
   * nothing. `leak`: nobody can adopt the credentials that end with it.
   * @throws Problem `not_found`, `insufficient_scope`
   */
  revoke(acting: ActorContext, name: string, options?: Revocation): Promise<Propagation & { revokedAtMs: number }>;
  /** Returns the effects of `revoke` on it and on those that depend on it, and changes nothing. */
  planRevocation(acting: ActorContext, name: string, options?: Revocation): Promise<Plan>;
  /**
   * Makes one change of a credential that is not revoked, serialised with other changes of it. The change is audited
   * and announced to all nodes. `narrows`: it is also possible if the credential has no permission now.
   * @throws Problem `not_found`, `insufficient_scope`, `conflict`, and the errors of `work`
   */
  change(acting: ActorContext, name: string, work: Work<T>, options?: { narrows?: boolean }): Promise<Propagation>;
}

export interface Revocation {
  readonly reason?: "leak" | null | undefined;
  /** What happens to the credentials that it is responsible for. Default: they end with it. */
  readonly orphans?: Orphans | undefined;
  /** The version of the credential, or the `etag` of a plan: then the effects must be the same. */
  readonly ifMatch?: string | undefined;
  /** Called after the commit, with the credentials that depended on it and lost scopes. */
  readonly onLosses?: ((losses: readonly Loss[]) => Promise<void>) | undefined;
}

/**
 * `held`: the permissions of the actor for the credential's resources. `epoch`: the new epoch, if the change ends tokens.
 */
type Work<T extends Table> = (
  tx: Writer,
  context: Context<T>,
  held: ReadonlySet<Scope>,
) => Promise<{ epoch?: number | undefined; action: string; detail: Record<string, unknown> }>;

type Manager<T extends Table> = CredentialsDeps & { readonly table: T };

export function manage<T extends Table>(deps: CredentialsDeps, table: T): Managed<T> {
  const manager = { ...deps, table };
  return {
    get: (acting, name) => get(manager, acting, name),
    list: (acting, listing) => list(manager, acting, listing),
    count: (orgId, atMs) => count(manager, orgId, atMs),
    update: (acting, name, change, ifMatch) => update(manager, acting, { name, change, ifMatch }),
    approve: (acting, name) => approve(manager, acting, name),
    adopt: (acting, name) => adopt(manager, acting, name),
    revoke: (acting, name, options = {}) => revoke(manager, acting, name, options),
    planRevocation: (acting, name, options = {}) =>
      rehearsePlan(deps, options.ifMatch, (tx) => revocation(manager, tx, acting, name, options)),
    change: (acting, name, work, { narrows = false } = {}) =>
      changeRow(manager, acting, name, { work, check: narrows ? requireUnrevoked : requireUsable }),
  };
}

async function get<T extends Table>({ metadata, table, clock }: Manager<T>, acting: ActorContext, name: string) {
  const context = await found(metadata.read, table, acting.actor.orgId, name);
  requirePermission(acting.actor, "credentials:read", resourceOf(context));
  return viewOf(metadata.read, table, context, clock.nowMs());
}

async function list<T extends Table>(
  { metadata, table, clock }: Manager<T>,
  { actor }: ActorContext,
  { projectId, includeRevoked = false, kind, cursor, limit }: CredentialListing,
): Promise<{ items: Views[T][]; nextCursor: string | null }> {
  const { order } = TABLES[table];
  const types = order.map((column) => (column === "id" ? ("string" as const) : ("number" as const)));
  const rows = await listIds(metadata.read, table, {
    orgId: actor.orgId,
    reach: actor.kind === "system" ? null : reachOf(actor, "credentials:read"),
    projectId,
    includeRevoked,
    kind,
    after: cursor === undefined ? undefined : decodeCursor(cursor, types),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const ids = page.map(({ id }) => id);
  const contexts = new Map((await contextsOf(metadata.read, table, ids)).map((context) => [context.id, context]));
  // Reads one after another, because concurrent reads of a page would use every database connection.
  const items: Views[T][] = [];
  for (const id of ids) {
    const context = contexts.get(id);
    if (context !== undefined) items.push(await viewOf(metadata.read, table, context, clock.nowMs()));
  }
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? encodeCursor(order.map((column) => last[column])) : null };
}

async function count({ metadata, table }: Manager<Table>, orgId: string, atMs: number): Promise<number> {
  const organization = await findOrganization(metadata.read, orgId);
  const lifetimeMsMax = organization === undefined ? null : parsePolicy(organization.policy).lifetimeMsMax;
  return countLive(metadata.read, table, orgId, { atMs, lifetimeMsMax });
}

async function update<T extends Table>(
  manager: Manager<T>,
  acting: ActorContext,
  { name, change, ifMatch }: { name: string; change: CredentialChange; ifMatch: string | undefined },
): Promise<Propagation & { credential: Views[T] }> {
  const { metadata, table } = manager;
  const asked = change.scopes === undefined ? undefined : requireKnownScopes(change.scopes);
  if (change.name !== undefined) requireName(change.name);
  const { allowedAddresses: texts } = change;
  const wanted = texts === undefined ? undefined : renderAddresses(requireAddresses(texts));
  const expected = await expectedOf(ifMatch, async () =>
    versionOf(await found(metadata.read, table, acting.actor.orgId, name)),
  );
  const work: Work<T> = async (tx, context: AnyContext, held) => {
    requireMatch(expected, versionOf(context));
    const present = parseScopes(context.scopes);
    const scopes = asked ?? present;
    if (asked !== undefined) requireScopesOfKind(context, asked);
    const own = change.own?.(context);
    const limits = await changedLimits(tx, acting, context, change);
    requireScopesWithin(limits.after, scopes);
    const raised = [...scopes].filter((scope) => !present.has(scope));
    const lowered = [...present].filter((scope) => !scopes.has(scope));
    const addresses = wanted === undefined ? context.allowed_addresses : wanted;
    const isElsewhere = isWiderRange(parseAddresses(context.allowed_addresses), parseAddresses(addresses));
    const span = await spanOf(tx, { ...context, allowed_addresses: addresses }, manager.clock.nowMs());
    const places = isElsewhere || own?.isWider === true;
    const wider = { scopes, raised, addresses: places, resources: limits.isWider, afterApproval: true, span };
    requireMayWiden(await widenerOf(tx, acting, context, held), wider);
    const epoch = lowered.length > 0 || limits.isNarrower ? nextEpoch(context) : context.epoch;
    const set = { name: change.name ?? context.name, scopes: renderScopes(scopes), allowed_addresses: addresses };
    await updateRow(tx, context.id, { ...set, ...own?.set, resources: limits.column, epoch });
    const moved = wanted === undefined ? {} : { before: context.allowed_addresses, allowed_addresses: addresses };
    const rescoped = TABLES[table].hasTokens ? { raised: raised.join(" "), lowered: lowered.join(" ") } : {};
    const detail = { name: change.name, ...rescoped, ...moved, ...limits.detail, ...own?.detail };
    return { epoch, action: actionOf(table, "update"), detail };
  };
  const propagation = await changeRow(manager, acting, name, { work, check: requireUsable });
  return { ...propagation, credential: await view(manager, acting, name) };
}

async function approve<T extends Table>(manager: Manager<T>, acting: ActorContext, name: string): Promise<Views[T]> {
  const { table } = manager;
  const work: Work<T> = async (tx, context, held) => {
    requirePermission(acting.actor, APPROVER_SCOPE, resourceOf(context));
    const wider = { scopes: parseScopes(context.scopes), approval: true };
    requireMayWiden(await widenerOf(tx, acting, context, held), wider);
    if (context.pending === 0)
      throw new Problem("conflict", `The ${TABLES[table].noun} does not wait for an approval.`);
    await updateRow(tx, context.id, { pending: 0 });
    return { action: actionOf(table, "approve"), detail: detailOf(table, "approve", context) };
  };
  await changeRow(manager, acting, name, { work, check: requireUnrevoked });
  return view(manager, acting, name);
}

async function adopt<T extends Table>(
  manager: Manager<T>,
  acting: ActorContext,
  name: string,
): Promise<Propagation & { credential: Views[T] }> {
  const { table, clock } = manager;
  const work: Work<T> = async (tx, context: AnyContext, held) => {
    const { from, to, scopes, dropped, pending, epoch } = await adoptRow(tx, acting, context, {
      held,
      nowMs: clock.nowMs(),
    });
    const detail = {
      from,
      to,
      scopes: renderScopes(scopes),
      dropped: dropped.join(" "),
      ...(pending ? { pending } : {}),
    };
    return { epoch, action: actionOf(table, "adopt"), detail };
  };
  const propagation = await changeRow(manager, acting, name, { work, check: () => Promise.resolve() });
  return { ...propagation, credential: await view(manager, acting, name) };
}

async function revoke<T extends Table>(
  manager: Manager<T>,
  acting: ActorContext,
  name: string,
  options: Revocation,
): Promise<Propagation & { revokedAtMs: number }> {
  const expected = await expectedOf(options.ifMatch, () => Promise.resolve(undefined));
  const { seq, revokedAtMs, losses } = await manager.metadata.write(async (tx) => {
    const revoked = await revocation(manager, tx, acting, name, options);
    requirePlan(expected, revoked.plan, revoked.version);
    return revoked;
  });
  const propagated = await isApplied(manager, seq);
  await options.onLosses?.(losses);
  return { revokedAtMs, propagated };
}

/** Revokes a credential in a transaction, and passes on those that it is responsible for, if the actor wants that. */
async function revocation<T extends Table>(
  manager: Manager<T>,
  tx: Writer,
  acting: ActorContext,
  name: string,
  { reason = null, orphans = "revoke" }: Revocation,
): Promise<{ seq: number; revokedAtMs: number; plan: Plan; losses: readonly Loss[]; version: object }> {
  const { clock, table } = manager;
  const { actor } = acting;
  const context: Context<T> & AnyContext = await locked(manager, tx, acting, name);
  requireMayRevoke(actor, context, { adopts: orphans === "adopt" });
  if (orphans === "adopt" && (reason === "leak" || actor.id === context.id)) throw notAdopted(reason);
  const nowMs = clock.nowMs();
  const revokedAtMs = context.revoked_at ?? nowMs;
  const epoch = nextEpoch(context);
  const watched = await watch(tx, context.org_id, context.id, nowMs);
  const own = await judged(tx, context.id, nowMs);
  const adopts = orphans === "adopt" ? await passOnChildren(manager, tx, acting, { of: context, watched }) : [];
  if (context.revoked_at === null) await revokeRow(tx, context.id, { atMs: revokedAtMs, epoch, reason });
  // Announces it again if it was revoked before, so that this answer, too, waits for every node.
  const seq = await announce(manager, tx, context.id, epoch);
  const detail = { ...detailOf(table, "revoke", context), ...(reason === null ? {} : { reason }) };
  const adopted = adopts.length === 0 ? {} : { adopted: adopts.map(({ id }) => id) };
  if (context.revoked_at === null)
    await audit(manager, tx, acting, {
      table,
      id: context.id,
      action: actionOf(table, "revoke"),
      detail: { ...detail, ...adopted },
    });
  const losses = await lossesOf(tx, own === undefined ? watched : [own, ...watched], nowMs);
  const origin = { orgId: context.org_id, actor: auditActorOf(actor), ip: acting.ip ?? null };
  await auditLosses(manager, tx, { ...origin, requestId: acting.requestId ?? null, result: "success" }, losses);
  const maySee = (row: AnyContext): boolean =>
    actor.kind === "system" || holds(actor, "credentials:read", resourceOf(row));
  const version = versionOf(context);
  const plan = planOf(losses, maySee, { adopts, projects: {}, version });
  return { seq, revokedAtMs, plan, losses: losses.filter(({ id }) => id !== context.id), version };
}

/** Makes the actor responsible for the credentials directly below one that is revoked. */
async function passOnChildren<T extends Table>(
  manager: Manager<T>,
  tx: Writer,
  { actor }: ActorContext,
  { of, watched }: { readonly of: AnyContext; readonly watched: readonly Watched[] },
): Promise<Plan["adopts"]> {
  const scopesAt = (resource: Resource): ReadonlySet<Scope> | undefined =>
    actor.kind === "system" ? ALL_SCOPES : heldScopes(actor, resource);
  const heir = { id: creatorOf(actor), origin: await originOfActor(tx, actor, manager.clock.nowMs()), scopesAt };
  const adopts: { id: string; name: string }[] = [];
  for (const { context } of watched) {
    if (context.responsible !== of.id) continue;
    if (actor.kind === "credential" && tableRuleOf(context).hasTokens) await requireDepth(tx, actor.id, context);
    if (!(await passOn(manager, tx, { context, heir }))) continue;
    await announce(manager, tx, context.id, context.epoch);
    adopts.push({ id: context.id, name: context.name });
  }
  return adopts;
}

async function changeRow<T extends Table>(
  manager: Manager<T>,
  acting: ActorContext,
  name: string,
  { work, check }: { readonly work: Work<T>; readonly check: Check },
): Promise<Propagation> {
  const { metadata, table, clock } = manager;
  const seq = await metadata.write(async (tx) => {
    const context: Context<T> & AnyContext = await locked(manager, tx, acting, name);
    const held = requirePermission(acting.actor, "credentials:write", resourceOf(context));
    await check(tx, context, clock.nowMs());
    const { epoch = context.epoch, action, detail } = await work(tx, context, held);
    const number = await announce(manager, tx, context.id, epoch);
    await audit(manager, tx, acting, { table, id: context.id, action, detail });
    return number;
  });
  return { propagated: await isApplied(manager, seq) };
}

/** @throws Problem `not_found` */
async function locked<T extends Table>(
  { metadata, table }: Manager<T>,
  tx: Writer,
  { actor }: ActorContext,
  name: string,
): Promise<Context<T>> {
  const { id } = await found(tx, table, actor.orgId, name);
  await metadata.lock(tx, `${TABLES[table].auditName}:${id}`);
  return found(tx, table, actor.orgId, id);
}

/**
 * Waits until all nodes applied the change. Kinds without tokens need no wait, because each use first reads the number
 * of the last change.
 */
async function isApplied({ feed, table }: Manager<Table>, seq: number): Promise<boolean> {
  if (!TABLES[table].hasTokens) return true;
  await feed.sync();
  return feed.propagate(seq);
}

async function view<T extends Table>({ metadata, table, clock }: Manager<T>, { actor }: ActorContext, name: string) {
  const context = await found(metadata.read, table, actor.orgId, name);
  return viewOf(metadata.read, table, context, clock.nowMs());
}
