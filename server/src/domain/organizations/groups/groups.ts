import { appendAudit } from "#domain/audit/index.ts";
import { kept } from "#domain/idempotency/index.ts";
import { absent, heldScopes, scopesOfProjectRole } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { earliest } from "#kernel/time.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, endOfGiver, grantorOf, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { requireWithinEnd } from "../members/ends.ts";
import { beyond } from "../members/rules.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { duplicateSlug } from "../projects/projects.ts";
import {
  deleteGroupMemberRows,
  deleteGroupRows,
  groupByClaim,
  groupByName,
  insertGroup,
  listGroupRows,
  rolesOfGroup,
  setGroup,
  type Group,
  type GroupRow,
} from "./store.ts";

/** Lists groups, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listGroups(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  page: PageQuery,
): Promise<Page<Group>> {
  return listPage(
    page,
    (wanted) => listGroupRows(deps.metadata.read, orgId, wanted),
    ({ id }) => id,
  );
}

/** Returns a group by its id or slug. @throws Problem `not_found` */
export async function groupIn(db: Reader, orgId: string, idOrSlug: string): Promise<Group> {
  const group = await groupByName(db, orgId, idOrSlug);
  if (group === undefined) throw absent();
  return group;
}

/** Returns the version of a group. Its members do not belong to it. */
export function groupVersion({ id, slug, name, claim }: GroupRow): object {
  return { id, slug, name, claim };
}

/**
 * Creates a group without members.
 * @throws Problem `forbidden` (only owners set a claim), `duplicate_slug`, `conflict` (the claim), `limit_reached`
 */
export async function createGroup(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  input: { slug: string; name?: string | undefined; claim?: string | null | undefined },
): Promise<Group> {
  const { slug, name = slug, claim = null } = input;
  return changeOrganization(deps, orgId, async (tx) => {
    const at = deps.clock.nowMs();
    const created_by = caller.principal.kind === "system" ? "system" : caller.principal.id;
    const row: GroupRow = { id: newId("grp", at), org_id: orgId, slug, name, claim, created_by, created_at: at };
    if (claim !== null) await requireOwner(deps, tx, caller, orgId);
    await requireFree(tx, row);
    await enforceRecordLimit(deps.metadata, tx, "groups_max", orgId);
    await insertGroup(tx, row);
    await auditGroup(deps, tx, caller, row, { action: "group.create", detail: { slug, claim } });
    return kept(tx, { ...row, members: 0 });
  });
}

/**
 * Changes a group. Members from a former claim leave.
 * @throws Problem `not_found`, `forbidden`, `duplicate_slug`, `conflict` (the claim), `concurrent_update`
 */
export async function updateGroup(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: {
    readonly group: string;
    readonly change: { slug?: string; name?: string; claim?: string | null };
    readonly ifMatch: string | undefined;
  },
): Promise<Group> {
  const { group, change } = options;
  const expected = await expectedOf(options.ifMatch, async () =>
    groupVersion(await groupIn(deps.metadata.read, orgId, group)),
  );
  return changeOrganization(deps, orgId, async (tx) => {
    const before = await groupIn(tx, orgId, group);
    requireMatch(expected, groupVersion(before));
    const after: Group = { ...before, ...change };
    if (after.claim !== before.claim) {
      await requireOwner(deps, tx, caller, orgId);
      if (after.claim !== null)
        await requireMayGiveGroup(tx, caller, after, { endMs: null, nowMs: deps.clock.nowMs() });
      await deleteGroupMemberRows(tx, { groupId: before.id, source: "oidc" });
      await announceAccessChange(deps, tx, orgId);
    }
    await requireFree(tx, after);
    await setGroup(tx, after);
    const detail = { before: groupVersion(before), after: groupVersion(after) };
    await auditGroup(deps, tx, caller, after, { action: "group.update", detail });
    return groupIn(tx, orgId, after.id);
  });
}

/** Deletes a group. Its members lose its roles at once. @throws Problem `not_found` */
export async function deleteGroup(deps: OrganizationsDeps, caller: Caller, orgId: string, name: string): Promise<void> {
  await changeOrganization(deps, orgId, async (tx) => {
    const group = await groupIn(tx, orgId, name);
    await deleteGroupRows(tx, group.id);
    await announceAccessChange(deps, tx, orgId);
    const detail = { slug: group.slug, members: group.members };
    await auditGroup(deps, tx, caller, group, { action: "group.delete", detail });
  });
}

/**
 * Checks that the caller has all permissions that the group gives in its projects, for as long as a membership until
 * `endMs` gives them. So nobody enters a private project by adding themselves to its group, or stays in one.
 * @throws Problem `forbidden`
 */
export async function requireMayGiveGroup(
  db: Reader,
  caller: Caller,
  { id, org_id }: Pick<GroupRow, "id" | "org_id">,
  { endMs, nowMs }: { readonly endMs: number | null; readonly nowMs: number },
): Promise<void> {
  const { principal } = caller;
  if (principal.kind === "system") return;
  for (const row of await rolesOfGroup(db, id)) {
    const given = scopesOfProjectRole(row);
    const lacking = beyond(given, heldScopes(principal, resourceOf(row)) ?? new Set());
    if (lacking.length > 0)
      throw new Problem(
        "forbidden",
        `The group has a role in a project where you lack its permissions (${lacking.join(", ")}). Ask a maintainer of that project who may manage members.`,
        { decidedBy: "role" },
      );
    const project = { id: row.project_id, org_id, visibility: row.visibility };
    const ownMs = await endOfGiver(db, caller, project, { given, nowMs });
    requireWithinEnd(ownMs, earliest(row.expires_at, endMs));
  }
}

/** A claim gives roles to everybody whom the provider names, so only owners set it. */
async function requireOwner(deps: OrganizationsDeps, tx: Writer, caller: Caller, orgId: string): Promise<void> {
  const { role } = await grantorOf(tx, caller, orgId, deps.clock.nowMs());
  if (role !== "owner") throw new Problem("forbidden", "Only an owner can set the claim of a group.");
}

async function requireFree(tx: Writer, group: GroupRow): Promise<void> {
  const holder = await groupByName(tx, group.org_id, group.slug);
  if (holder !== undefined && holder.id !== group.id) throw duplicateSlug("/slug", group.slug);
  const other = group.claim === null ? undefined : await groupByClaim(tx, group.org_id, group.claim);
  if (other === undefined || other.id === group.id) return;
  throw new Problem("conflict", `The group ${other.slug} has this claim already.`);
}

export async function auditGroup(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  group: Pick<GroupRow, "id" | "org_id">,
  { action, detail }: { readonly action: string; readonly detail: Record<string, unknown> },
): Promise<void> {
  const target = { kind: "group", id: group.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: group.org_id, action, target, detail });
}
