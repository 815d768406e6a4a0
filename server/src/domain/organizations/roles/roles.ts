import {
  CUSTOM_ROLE_SCOPES,
  MEMBER_ROLES,
  PROJECT_ROLES,
  SCOPES,
  isScope,
  type CustomRoleKind,
  type Scope,
} from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { kept } from "#domain/idempotency/index.ts";
import { absent, heldScopes } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, endOfGiver, grantorOf, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { requireWithinEnd } from "../members/ends.ts";
import { commitEffects, concludeOrphans, watchPerson, type Effects, type OrphansOptions } from "../members/orphans.ts";
import { beyond } from "../members/rules.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { duplicateSlug } from "../projects/projects.ts";
import {
  deleteRoleRow,
  holdersOf,
  insertRole,
  listRoleRows,
  projectsWithRole,
  roleByName,
  setRole,
  usesOf,
  type CustomRole,
  type CustomRoleRow,
} from "./store.ts";

/** Names of built-in roles. A custom role with such a name would mislead. */
const RESERVED: ReadonlySet<string> = new Set([...MEMBER_ROLES, ...PROJECT_ROLES]);

/** Lists roles, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listRoles(
  { metadata: { read } }: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  page: PageQuery,
): Promise<Page<CustomRole>> {
  const found = await listPage(
    page,
    (wanted) => listRoleRows(read, orgId, wanted),
    ({ id }) => id,
  );
  return { ...found, items: await Promise.all(found.items.map((row) => counted(read, row))) };
}

/** Returns a role by its id or slug. @throws Problem `not_found` */
export async function roleIn(db: Reader, orgId: string, idOrSlug: string): Promise<CustomRole> {
  return counted(db, await rowIn(db, orgId, idOrSlug));
}

async function rowIn(db: Reader, orgId: string, idOrSlug: string): Promise<CustomRoleRow> {
  const row = await roleByName(db, orgId, idOrSlug);
  if (row === undefined) throw absent();
  return row;
}

async function counted(db: Reader, row: CustomRoleRow): Promise<CustomRole> {
  return { ...row, uses: await usesOf(db, row) };
}

/** Returns the version of a role. Its uses do not belong to it. */
export function roleVersion({ id, slug, name, scopes }: CustomRoleRow): object {
  return { id, slug, name, scopes };
}

/** Returns the scopes of a role, in the order of the contract. */
export function scopesOfCustom({ scopes }: Pick<CustomRoleRow, "scopes">): Scope[] {
  return scopes.split(" ").filter(isScope);
}

/**
 * Creates a custom role.
 * @throws Problem `invalid_body` (a scope that the kind can't have), `forbidden` (scopes that the caller lacks),
 * `duplicate_slug`, `limit_reached`
 */
export async function createRole(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  input: { slug: string; name?: string | undefined; kind: CustomRoleKind; scopes: readonly Scope[] },
): Promise<CustomRole> {
  const { slug, name = slug, kind } = input;
  const scopes = sortedScopes(kind, input.scopes);
  return changeOrganization(deps, orgId, async (tx) => {
    const at = deps.clock.nowMs();
    requireMayPut(await grantorOf(tx, caller, orgId, at), scopes, scopes);
    const created_by = caller.principal.kind === "system" ? "system" : caller.principal.id;
    const of = { org_id: orgId, slug, name, kind, scopes: scopes.join(" ") };
    const row: CustomRoleRow = { id: newId("role", at), ...of, created_by, created_at: at };
    await requireFree(tx, row);
    await enforceRecordLimit(deps.metadata, tx, "custom_roles_max", orgId);
    await insertRole(tx, row);
    await auditRole(deps, tx, caller, row, { action: "role.create", detail: { slug, kind, scopes } });
    return kept(tx, { ...row, uses: 0 });
  });
}

export interface RoleChange extends OrphansOptions {
  readonly role: string;
  readonly change: { slug?: string; name?: string; scopes?: readonly Scope[] };
}

/**
 * Changes a role for everybody who has it.
 * @throws Problem `not_found`, `invalid_body`, `forbidden` (the caller has the role, or lacks its scopes where it is
 * used), `duplicate_slug`, `concurrent_update`
 */
export async function updateRole(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: RoleChange,
): Promise<CustomRole> {
  const { role } = await commitEffects(
    deps,
    orgId,
    options,
    (tx) => roleChange(deps, tx, caller, orgId, options),
    async () => roleVersion(await rowIn(deps.metadata.read, orgId, options.role)),
  );
  return role;
}

async function roleChange(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  orgId: string,
  { role: name, change }: RoleChange,
): Promise<{ role: CustomRole; effects: Effects }> {
  const before = await rowIn(tx, orgId, name);
  const { scopes = scopesOfCustom(before), ...names } = change;
  const after: CustomRoleRow = { ...before, ...names, scopes: sortedScopes(before.kind, scopes).join(" ") };
  const holders = await holdersOf(tx, before.id);
  await requireMayEdit(deps, tx, caller, { before, after, holders });
  await requireFree(tx, after);
  const watched = [];
  if (after.scopes !== before.scopes)
    for (const userId of holders) watched.push(...(await watchPerson(deps, tx, orgId, userId)));
  await setRole(tx, after);
  await announceAccessChange(deps, tx, orgId);
  const detail = { before: detailOf(before), after: detailOf(after) };
  await auditRole(deps, tx, caller, after, { action: "role.update", detail });
  const version = roleVersion(before);
  const effects = await concludeOrphans(deps, tx, caller, { orgId, watched, adopts: [], projects: {}, version });
  return { role: await counted(tx, after), effects };
}

/** Deletes a role that nobody has. @throws Problem `not_found`, `conflict` */
export async function deleteRole(deps: OrganizationsDeps, caller: Caller, orgId: string, name: string): Promise<void> {
  await changeOrganization(deps, orgId, async (tx) => {
    const row = await rowIn(tx, orgId, name);
    const uses = await usesOf(tx, row);
    if (uses > 0)
      throw new Problem(
        "conflict",
        `The role has ${uses} ${uses === 1 ? "use" : "uses"}: members, open invitations, or people and groups in projects. Give them another role first.`,
      );
    await deleteRoleRow(tx, row.id);
    await announceAccessChange(deps, tx, orgId);
    await auditRole(deps, tx, caller, row, { action: "role.delete", detail: detailOf(row) });
  });
}

/** @throws Problem `invalid_body` */
function sortedScopes(kind: CustomRoleKind, scopes: readonly Scope[]): Scope[] {
  const allowed = new Set(CUSTOM_ROLE_SCOPES[kind]);
  const errors = scopes.flatMap((scope, i) =>
    allowed.has(scope) ? [] : [{ pointer: `/scopes/${i}`, detail: `no role of the kind ${kind} has ${scope}` }],
  );
  if (errors.length > 0) throw new Problem("invalid_body", "The scopes of the role are not valid.", { errors });
  return SCOPES.filter((scope) => scopes.includes(scope));
}

/** Checks that the caller has the scopes of a role. @throws Problem `forbidden` */
function requireMayPut(grantor: Grantor, added: readonly Scope[], all: readonly Scope[]): void {
  if (added.includes("members:write") && grantor.role !== "owner")
    throw new Problem("forbidden", "Only an owner can put members:write into a role.", { decidedBy: "role" });
  const lacking = beyond(all, grantor.scopes);
  if (lacking.length > 0)
    throw new Problem("forbidden", `The role has permissions that you lack (${lacking.join(", ")}).`, {
      decidedBy: "role",
    });
}

/**
 * Checks that the caller may change a role. To add scopes, they need all scopes of the role wherever it is used, because
 * the change gives them to everybody who has it.
 */
async function requireMayEdit(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  { before, after, holders }: { before: CustomRoleRow; after: CustomRoleRow; holders: readonly string[] },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const grantor = await grantorOf(tx, caller, before.org_id, nowMs);
  if (grantor.userId !== undefined && holders.includes(grantor.userId))
    throw new Problem("forbidden", "You have this role yourself, so another person must change it.", {
      decidedBy: "role",
    });
  const scopes = scopesOfCustom(after);
  const added = beyond(scopes, new Set(scopesOfCustom(before)));
  if (added.length === 0) return;
  requireMayPut(grantor, added, scopes);
  if ((await usesOf(tx, before)) > 0) requireWithinEnd(grantor.endsAtMs, null);
  const { principal } = caller;
  if (principal.kind === "system") return;
  const given = new Set(scopes);
  for (const row of await projectsWithRole(tx, before.id)) {
    const lacking = beyond(scopes, heldScopes(principal, resourceOf(row)) ?? new Set());
    if (lacking.length > 0)
      throw new Problem(
        "forbidden",
        `The role is used in a project where you lack its permissions (${lacking.join(", ")}). Ask a maintainer of that project who may manage members.`,
        { decidedBy: "role" },
      );
    const project = { id: row.project_id, org_id: row.org_id, visibility: row.visibility };
    requireWithinEnd(await endOfGiver(tx, caller, project, { given, nowMs }), null);
  }
}

async function requireFree(tx: Writer, role: CustomRoleRow): Promise<void> {
  const holder = await roleByName(tx, role.org_id, role.slug);
  if (RESERVED.has(role.slug) || (holder !== undefined && holder.id !== role.id))
    throw duplicateSlug("/slug", role.slug);
}

function detailOf(row: CustomRoleRow): Record<string, unknown> {
  return { slug: row.slug, name: row.name, scopes: scopesOfCustom(row) };
}

async function auditRole(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  role: CustomRoleRow,
  { action, detail }: { readonly action: string; readonly detail: Record<string, unknown> },
): Promise<void> {
  const target = { kind: "role", id: role.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: role.org_id, action, target, detail });
}
