import type { ProjectRole, Scope } from "@mooring/contract";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { lackingToWiden, PROJECT_ROLE_SCOPES, absent } from "#domain/identity/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, endInProject, scopesInProject, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { memberVersion } from "../members/members.ts";
import { endDetail, isLater, requireEnd, requireWithinEnd } from "../members/ends.ts";
import { beyond } from "../members/rules.ts";
import { findMember } from "../members/store.ts";
import { found } from "./projects.ts";
import {
  deleteProjectRole,
  findProjectMember,
  listProjectMemberRows,
  maintainersOf,
  putProjectRole,
  type ProjectMember,
} from "./store.ts";

type ProjectKey = Pick<Project, "id" | "org_id">;

/** Lists members, newest person first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listProjectMembers(
  deps: Pick<OrganizationsDeps, "metadata">,
  project: Project,
  page: PageQuery,
): Promise<Page<ProjectMember>> {
  return listPage(
    page,
    (wanted) => listProjectMemberRows(deps.metadata.read, project, wanted),
    (row) => row.user_id,
  );
}

export interface ProjectMemberChange {
  readonly userId: string;
  readonly role: ProjectRole;
  /** Null: no end. Absent: the end stays. */
  readonly endsAtMs?: number | null | undefined;
  readonly ifMatch?: string | undefined;
}

/**
 * Sets the role of a member, and its end.
 * @throws Problem `not_found`, `forbidden` (a role with permissions that the caller lacks), `conflict` (the last
 * maintainer), `concurrent_update`
 */
export async function setProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: ProjectMemberChange,
): Promise<ProjectMember> {
  const { userId, role } = options;
  const versionIn = async (db: Reader): Promise<object> =>
    memberVersion((await findProjectMember(db, await found(db, project), userId)) ?? { user_id: userId, role: null });
  const expected = await expectedOf(options.ifMatch, () => versionIn(deps.metadata.read));
  return changeOrganization(deps, project.org_id, async (tx) => {
    const row = await found(tx, project);
    if ((await findMember(tx, row.org_id, userId)) === undefined) throw absent();
    const before = await findProjectMember(tx, row, userId);
    requireMatch(expected, memberVersion(before ?? { user_id: userId, role: null }));
    const { endsAtMs: expires_at = before?.expires_at ?? null } = options;
    if (before !== undefined && before.role === role && before.expires_at === expires_at) return before;
    requireMayGiveRole(deps, caller, row, { before, to: role, endMs: expires_at });
    if (before?.role === "maintainer" && (role !== "maintainer" || expires_at !== null))
      await requireAnotherMaintainer(tx, row, userId);
    if (before === undefined) await enforceRecordLimit(deps.metadata, tx, "project_members_max", row.id);
    await putProjectRole(tx, {
      org_id: row.org_id,
      project_id: row.id,
      user_id: userId,
      role,
      created_at: deps.clock.nowMs(),
      expires_at,
    });
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.member.update",
      target: { kind: "project", id: row.id },
      detail: {
        user: userId,
        role: { from: before?.role ?? null, to: role },
        ...endDetail(before?.expires_at ?? null, expires_at),
      },
    });
    const after = await findProjectMember(tx, row, userId);
    if (after === undefined) throw new Error("the membership that was just written is missing");
    return after;
  });
}

/**
 * Removes a member from the project.
 * @throws Problem `not_found`, `conflict` (the last maintainer of a private project)
 */
export async function removeProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  userId: string,
): Promise<void> {
  await changeOrganization(deps, project.org_id, async (tx) => {
    const row = await found(tx, project);
    const before = await findProjectMember(tx, row, userId);
    if (before === undefined) throw absent();
    if (before.role === "maintainer") await requireAnotherMaintainer(tx, row, userId);
    await deleteProjectRole(tx, row, userId);
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.member.remove",
      target: { kind: "project", id: row.id },
      detail: { user: userId, role: before.role },
    });
  });
}

/** Checks that a caller gives only permissions that they have in the project, and not for longer. */
function requireMayGiveRole(
  { clock }: Pick<OrganizationsDeps, "clock">,
  caller: Caller,
  project: Project,
  { before, to, endMs }: { before: ProjectMember | undefined; to: ProjectRole; endMs: number | null },
): void {
  const may = PROJECT_ROLE_SCOPES[to];
  const present = before === undefined ? new Set<Scope>() : PROJECT_ROLE_SCOPES[before.role];
  const isLonger = isLater(endMs, before?.expires_at ?? null);
  const isWider = beyond(may, present).length > 0 || isLonger;
  if (endMs !== (before?.expires_at ?? null)) requireEnd(endMs, clock.nowMs());
  if (isWider) requireWithinEnd(endInProject(caller, project.id, may), endMs);
  const lacking = lackingToWiden(scopesInProject(caller, project.id), { isWider, may });
  if (lacking.length === 0) return;
  throw new Problem(
    "forbidden",
    `The role ${to} has permissions that you lack (${lacking.join(", ")}), so you can't give it.`,
  );
}

/** Refuses to remove the last maintainer: nobody else can see a private project and repair it. */
async function requireAnotherMaintainer(tx: Writer, project: Project, userId: string): Promise<void> {
  if (project.visibility !== "private") return;
  const others = (await maintainersOf(tx, project)).filter((id) => id !== userId);
  if (others.length > 0) return;
  throw new Problem(
    "conflict",
    "This is the last maintainer of a private project whose membership has no end. Make another person a maintainer first.",
  );
}
