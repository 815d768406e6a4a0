import type { Scope } from "@mooring/contract";
import { kept } from "#domain/idempotency/index.ts";
import { absent, scopesOf, type Limits, type Resource } from "#domain/identity/access/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { projectByName } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { creatorOf, permissionsOf, requireHeld, requirePermission, withinPolicy, type ActorContext } from "./actor.ts";
import { endOf, pendingOf } from "./approval.ts";
import { parsePolicy, renderScopes, type Policy } from "./bounds.ts";
import { actionOf, audit, detailOf, found, type CredentialsDeps } from "./common.ts";
import { KINDS, TABLES, type AnyRow, type KindName, type Rows, type Table } from "./kinds.ts";
import { renderLimits } from "./limits.ts";
import { requireDepth } from "./parents.ts";
import { requireResources, requireScopesWithin, scopesWithin, type NamedResources } from "./resources.ts";
import { findOrganization, insertRow, responsibleSince } from "./store.ts";
import { viewOf, type Views } from "./view.ts";
import { requireMayWiden, UNBOUNDED } from "./widening.ts";

/** The columns of `AnyRow` that only the table \`credential\` has. */
type OfCredential = "kind" | "epoch" | "origins" | "rate";

/** The part of a creation that depends on the kind. */
export interface Creation<T extends Table> {
  readonly kind: KindName;
  /** This actor gives the permissions. It must have them itself. */
  readonly giver: ActorContext["actor"];
  /** The permission that the giver needs. */
  readonly permission?: Scope;
  readonly name: string;
  readonly projectId: string | null;
  /** Undefined: all scopes that the kind allows and the giver has. */
  readonly scopes: ReadonlySet<Scope> | undefined;
  readonly expiresAtMs: number | null;
  readonly addresses: string | null;
  /** The only resources that it reaches. Null: no such limit. */
  readonly resources: NamedResources | null;
  /** The columns that only this table has. */
  columns(id: string, nowMs: number): Omit<Rows[T], Exclude<keyof AnyRow, OfCredential>>;
  /** Stores a secret that is not a column. */
  storeSecret?(tx: Writer, id: string): Promise<void>;
  /** Further details for the audit log. */
  readonly detail?: Record<string, unknown>;
}

/**
 * Creates a credential of any kind, in one transaction. `answerOf` renders the answer with the secret, which is shown
 * only now.
 * @throws Problem `invalid_body`, `not_found` (the project), `insufficient_scope`, `forbidden`, `limit_reached`
 */
export async function create<T extends Table, A>(
  deps: CredentialsDeps,
  acting: ActorContext,
  creation: Creation<T>,
  answerOf: (view: Views[T]) => A,
): Promise<A> {
  const { metadata, clock } = deps;
  const { kind, giver } = creation;
  const { table, limit, ownedBy } = KINDS[kind];
  return metadata.write(async (tx) => {
    const { scopes, policy, resource, limits } = await givenBy(tx, creation);
    if (TABLES[table].hasTokens && giver.kind === "credential") await requireDepth(tx, giver.id);
    const nowMs = clock.nowMs();
    const id = newId(TABLES[table].idPrefix, nowMs);
    const row = {
      id,
      org_id: giver.orgId,
      project_id: creation.projectId,
      name: creation.name,
      scopes: renderScopes(scopes),
      created_by: creatorOf(giver),
      created_at: nowMs,
      responsible: creatorOf(giver),
      responsible_since: await responsibleSince(tx, giver.orgId, creatorOf(giver), nowMs),
      inherited: null,
      resources: limits === undefined ? null : renderLimits(limits),
      end_reason: null,
      expires_at: endOf(policy, creation.expiresAtMs, nowMs),
      revoked_at: null,
      last_used_at: null,
      allowed_addresses: creation.addresses,
      pending: pendingOf(policy, acting.actor, resource),
      ...creation.columns(id, nowMs),
    } as unknown as Rows[T];
    await enforceRecordLimit(metadata, tx, limit, ownedBy === "person" ? row.created_by : row.org_id);
    await insertRow(tx, table as T, row);
    await creation.storeSecret?.(tx, id);
    const detail = { ...creation.detail, ...detailOf(table, "create", row) };
    const pending = row.pending === 1 ? { pending: true } : {};
    await audit(deps, tx, acting, { table, id, action: actionOf(table, "create"), detail: { ...detail, ...pending } });
    const context = await found(tx, table as T, row.org_id, id);
    return kept(tx, answerOf(await viewOf(tx, table as T, context, nowMs)));
  });
}

/** Returns the permissions of the new credential. @throws Problem `not_found`, `insufficient_scope`, `forbidden` */
async function givenBy(
  tx: Writer,
  { kind, giver, permission, projectId, scopes: asked, resources }: Creation<Table>,
): Promise<{ scopes: ReadonlySet<Scope>; policy: Policy; resource: Resource; limits: Limits | undefined }> {
  const organization = await findOrganization(tx, giver.orgId);
  const project = projectId === null ? undefined : await projectByName(tx, giver.orgId, projectId);
  if (organization === undefined || (projectId !== null && project === undefined)) throw absent();
  const resource = { orgId: giver.orgId, ...(project === undefined ? {} : { project }) };
  const held = heldBy(giver, kind, { permission, resource });
  const policy = parsePolicy(organization.policy);
  const place = { actor: giver, projectId, kinds: KINDS[kind].resources };
  const limits = resources === null ? undefined : await requireResources(tx, resources, place);
  requireScopesWithin(limits, asked ?? []);
  const scopes = asked ?? everythingOf(kind, held, policy, limits);
  const widener = { actor: giver, held, policy, resource, span: UNBOUNDED };
  requireMayWiden(widener, { scopes, raised: [...scopes], secret: true });
  return { scopes, policy, resource, limits };
}

/** Returns the scopes that the actor may give. A personal token may have the scopes of all roles of its person. */
function heldBy(
  giver: ActorContext["actor"],
  kind: KindName,
  { permission, resource }: { permission: Scope | undefined; resource: Resource },
): ReadonlySet<Scope> {
  if (permission !== undefined) return requirePermission(giver, permission, resource);
  const isWhole = KINDS[kind].ownedBy === "person" && resource.project === undefined && giver.kind !== "system";
  return isWhole ? scopesOf(giver) : permissionsOf(giver, resource);
}

/** Returns all scopes that the kind allows and the actor has. @throws Problem `insufficient_scope` if there are none */
function everythingOf(
  kind: KindName,
  held: ReadonlySet<Scope>,
  policy: Policy,
  limits: Limits | undefined,
): ReadonlySet<Scope> {
  const scopes: readonly Scope[] = scopesWithin(limits, KINDS[kind].scopes);
  const given = withinPolicy(new Set(scopes.filter((scope) => held.has(scope))), policy);
  if (given.length === 0) requireHeld(held, scopes.slice(0, 1));
  return new Set(given);
}
