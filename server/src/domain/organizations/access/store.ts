import type { ProjectRole } from "@mooring/contract";
import { joinProject, withinProjects, type Reach } from "#domain/projects/index.ts";
import type { Reader } from "#stores/metadata/index.ts";

export async function rolesIn(
  db: Reader,
  orgId: string,
  projectId: string,
  nowMs: number,
): Promise<{ user_id: string; role: ProjectRole }[]> {
  return db
    .selectFrom("project_member")
    .select(["user_id", "role"])
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", nowMs)]))
    .execute();
}

/** Returns, for each person and role, the first project within reach in which they have it. */
export async function rolesWithin(
  db: Reader,
  orgId: string,
  reach: Reach,
  { roles, nowMs }: { readonly roles: readonly ProjectRole[]; readonly nowMs: number },
): Promise<{ user_id: string; role: ProjectRole; slug: string }[]> {
  if (roles.length === 0) return [];
  return joinProject(db.selectFrom("project_member"), "project_member.project_id")
    .select((eb) => ["project_member.user_id", "project_member.role", eb.fn.min("project.slug").as("slug")])
    .where("project_member.org_id", "=", orgId)
    .where("project_member.role", "in", [...roles])
    .where((row) =>
      row.or([row("project_member.expires_at", "is", null), row("project_member.expires_at", ">", nowMs)]),
    )
    .where(withinProjects(reach, "project.id"))
    .groupBy(["project_member.user_id", "project_member.role"])
    .execute();
}
