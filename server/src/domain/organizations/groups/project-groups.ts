import type { ProjectMemberRole } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { absent, nameOfRole } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { endDetail } from "../members/ends.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { requireMayGiveRole } from "../projects/members.ts";
import { found } from "../projects/projects.ts";
import { givenRole, isSameRole } from "../roles/given.ts";
import { groupIn } from "./groups.ts";
import {
  deleteProjectGroupRow,
  listProjectGroupRows,
  projectGroupByName,
  putProjectGroupRow,
  type ProjectGroup,
} from "./store.ts";

type ProjectKey = Pick<Project, "id" | "org_id">;

/** Lists groups, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listProjectGroups(
  deps: Pick<OrganizationsDeps, "metadata">,
  project: ProjectKey,
  page: PageQuery,
): Promise<Page<ProjectGroup>> {
  return listPage(
    page,
    (wanted) => listProjectGroupRows(deps.metadata.read, project.id, wanted),
    (row) => row.group_id,
  );
}

/** Returns the version of a group in a project. */
export function projectGroupVersion(group: {
  readonly group_id: string;
  readonly role: string | null;
  readonly custom_role?: string | null;
  readonly expires_at: number | null;
}): object {
  const { group_id, role, custom_role: custom = null, expires_at } = group;
  return { group_id, role, ...(custom === null ? {} : { custom_role: custom }), expires_at };
}

/**
 * Gives a group a role in a project, or changes it.
 * @throws Problem `not_found`, `forbidden` (permissions that the caller lacks, or an end after the caller's),
 * `invalid_body` (the end has passed), `concurrent_update`, `limit_reached`
 */
export async function setProjectGroup(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  options: {
    readonly group: string;
    readonly role: ProjectMemberRole;
    /** The id or slug of the custom role, with the role `custom`. */
    readonly customRole?: string | undefined;
    readonly endsAtMs: number | null | undefined;
    readonly ifMatch: string | undefined;
  },
): Promise<ProjectGroup> {
  const { role } = options;
  const versionOf = (groupId: string, member: ProjectGroup | undefined): object =>
    projectGroupVersion(member ?? { group_id: groupId, role: null, expires_at: null });
  const { read } = deps.metadata;
  const expected = await expectedOf(options.ifMatch, async () => {
    const { id } = await groupIn(read, project.org_id, options.group);
    return versionOf(id, await projectGroupByName(read, project.id, id));
  });
  return changeOrganization(deps, project.org_id, async (tx) => {
    const row = await found(tx, project);
    const group = await groupIn(tx, row.org_id, options.group);
    const before = await projectGroupByName(tx, row.id, group.id);
    requireMatch(expected, versionOf(group.id, before));
    const { endsAtMs: expires_at = before?.expires_at ?? null } = options;
    const to = await givenRole(tx, row.org_id, "project", { role, customRole: options.customRole });
    if (before !== undefined && isSameRole(before, to) && before.expires_at === expires_at) return before;
    await requireMayGiveRole(deps, tx, caller, { project: row, before, to, endMs: expires_at });
    if (before === undefined) await enforceRecordLimit(deps.metadata, tx, "project_groups_max", row.id);
    const created_at = deps.clock.nowMs();
    const { custom_role } = to;
    const columns = { org_id: row.org_id, project_id: row.id, group_id: group.id, expires_at, created_at };
    await putProjectGroupRow(tx, { ...columns, role, custom_role });
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.group.update",
      target: { kind: "project", id: row.id },
      detail: {
        group: group.id,
        role: { from: before === undefined ? null : nameOfRole(before), to: nameOfRole(to) },
        ...endDetail(before?.expires_at ?? null, expires_at),
      },
    });
    const after = await projectGroupByName(tx, row.id, group.id);
    if (after === undefined) throw new Error("the membership that was just written is missing");
    return after;
  });
}

/** Removes a group from a project. Its members lose the role at once. @throws Problem `not_found` */
export async function removeProjectGroup(
  deps: OrganizationsDeps,
  caller: Caller,
  project: ProjectKey,
  name: string,
): Promise<void> {
  await changeOrganization(deps, project.org_id, async (tx) => {
    const row = await found(tx, project);
    const group = await projectGroupByName(tx, row.id, name);
    if (group === undefined) throw absent();
    await deleteProjectGroupRow(tx, row.id, group.group_id);
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.group.remove",
      target: { kind: "project", id: row.id },
      detail: { group: group.group_id, role: nameOfRole(group) },
    });
  });
}
