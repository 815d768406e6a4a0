import type { ProjectMemberRole } from "@mooring/contract";
import { customRoleOf, type ProjectGrant, type RoleOf } from "#domain/identity/index.ts";
import { joinProject, withinProjects, type Reach } from "#domain/projects/index.ts";
import { earliest, hasPassed } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";

/** A role of a person in a project, by themselves or by a group. */
export interface PersonGrant extends ProjectGrant {
  readonly userId: string;
  /** The slug of the project. */
  readonly slug: string;
}

/** Returns the roles of all people in the projects within reach, without ended ones. */
export async function grantsWithin(
  db: Reader,
  orgId: string,
  reach: Reach,
  options: {
    readonly projectId?: string | undefined;
    /** Only these roles. Absent: all. */
    readonly roles?: readonly ProjectMemberRole[] | undefined;
    readonly nowMs: number;
  },
): Promise<PersonGrant[]> {
  const { projectId, roles, nowMs } = options;
  if (roles?.length === 0) return [];
  const own = joinProject(db.selectFrom("project_member as m"), "m.project_id")
    .select(["m.user_id", "m.role", "project.slug", "m.expires_at as until", "m.expires_at as role_until"])
    .select(customRoleOf("m"))
    .where("m.org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("m.project_id", "=", projectId ?? ""))
    .$if(roles !== undefined, (query) => query.where("m.role", "in", roles ?? []))
    .where(withinProjects(reach, "project.id"));
  const byGroups = joinProject(
    db.selectFrom("project_group as pg").innerJoin("group_member as gm", "gm.group_id", "pg.group_id"),
    "pg.project_id",
  )
    .select(["gm.user_id", "pg.role", "project.slug", "gm.expires_at as until", "pg.expires_at as role_until"])
    .select(customRoleOf("pg"))
    .where("pg.org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("pg.project_id", "=", projectId ?? ""))
    .$if(roles !== undefined, (query) => query.where("pg.role", "in", roles ?? []))
    .where(withinProjects(reach, "project.id"));
  return [...(await own.execute()), ...(await byGroups.execute())]
    .map(grantOf)
    .filter(({ endsAtMs }) => !hasPassed(endsAtMs, nowMs));
}

function grantOf(
  row: RoleOf<ProjectMemberRole> & {
    user_id: string;
    slug: string;
    until: number | null;
    role_until: number | null;
  },
): PersonGrant {
  const { user_id: userId, until, role_until, ...grant } = row;
  return { ...grant, userId, endsAtMs: earliest(until, role_until) };
}
