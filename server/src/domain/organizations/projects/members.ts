import type { ProjectRole, Scope } from "@mooring/contract";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { lackingToWiden, PROJECT_ROLE_SCOPES, absent } from "#domain/identity/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, scopesInProject, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { memberVersion } from "../members/members.ts";
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

/**
 * Sets the role of a member.
 * @throws Problem `not_found`, `forbidden` (a role with permissions that the caller lacks), `conflict` (the last
 * maintainer), `concurrent_update`
 */
export async function setProjectMember(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: { userId: string; role: ProjectRole; ifMatch?: string | undefined },
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
    if (before?.role === role) return before;
    requireMayGiveRole(caller, row, { from: before?.role, to: role });
    if (before?.role === "maintainer") await requireAnotherMaintainer(tx, row, userId);
    if (before === undefined) await enforceRecordLimit(deps.metadata, tx, "project_members_max", row.id);
    await putProjectRole(tx, {
      org_id: row.org_id,
      project_id: row.id,
      user_id: userId,
      role,
      created_at: deps.clock.nowMs(),
    });
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.member.update",
      target: { kind: "project", id: row.id },
      detail: { user: userId, role: { from: before?.role ?? null, to: role } },
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

/** Checks that a caller gives only permissions that they have in the project. */
function requireMayGiveRole(
  caller: Caller,
  project: Project,
  roles: { from: ProjectRole | undefined; to: ProjectRole },
): void {
  const present = roles.from === undefined ? new Set<Scope>() : PROJECT_ROLE_SCOPES[roles.from];
  const isWider = beyond(PROJECT_ROLE_SCOPES[roles.to], present).length > 0;
  const may = PROJECT_ROLE_SCOPES[roles.to];
  const lacking = lackingToWiden(scopesInProject(caller, project.id), { isWider, may });
  if (lacking.length === 0) return;
  throw new Problem(
    "forbidden",
    `The role ${roles.to} has permissions that you lack (${lacking.join(", ")}), so you can't give it.`,
  );
}

/** Refuses to remove the last maintainer: nobody else can see a private project and repair it. */
async function requireAnotherMaintainer(tx: Writer, project: Project, userId: string): Promise<void> {
  if (project.visibility !== "private") return;
  const others = (await maintainersOf(tx, project)).filter((id) => id !== userId);
  if (others.length > 0) return;
  throw new Problem(
    "conflict",
    "This is the last maintainer of a private project. Make another person a maintainer first.",
  );
}
