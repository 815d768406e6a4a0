import type { ProjectRole } from "@mooring/contract";
import { addUsage, usageOf } from "#domain/quotas/index.ts";
import { deleteProjectRow, type Project } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export interface ProjectMember {
  user_id: string;
  email: string;
  name: string;
  role: ProjectRole;
  created_at: number;
  /** When the membership ends. Null: no end. It may have passed. */
  expires_at: number | null;
}

/** Deletes the project, with the rows that depend on it. */
export async function deleteProjectRows(tx: Writer, orgId: string, projectId: string): Promise<void> {
  await deleteSavedQueries(tx, orgId, projectId);
  // Its open uploads can't be completed any more, so their reservations are released.
  await tx.deleteFrom("upload_grant").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  await expireTrash(tx, orgId, projectId);
  await tx.deleteFrom("file_usage").where("org_id", "=", orgId).where("place", "=", projectId).execute();
  await tx.deleteFrom("project_group").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  await tx.deleteFrom("project_member").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  await deleteProjectRow(tx, { org_id: orgId, id: projectId });
}

/**
 * Makes the files in the project's trash due for deletion at once. They are deleted within a minute, and count towards
 * the organization's quota until then.
 */
async function expireTrash(tx: Writer, orgId: string, projectId: string): Promise<void> {
  await tx
    .updateTable("trashed_file")
    .set({ project_id: null, purge_at: 0 })
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .execute();
  const { trashed_files, trashed_bytes } = await usageOf(tx, "files", { org_id: orgId, place: projectId });
  addUsage(tx, "files", { org_id: orgId, place: "" }, { trashed_files, trashed_bytes });
}

/** Deletes the alerts first, with the pending messages. Jobs end when they find no row. */
async function deleteSavedQueries(tx: Writer, orgId: string, projectId: string): Promise<void> {
  const rows = await tx
    .selectFrom("alert")
    .innerJoin("saved_query as q", "q.id", "alert.query_id")
    .select("alert.id")
    .where("q.org_id", "=", orgId)
    .where("q.project_id", "=", projectId)
    .execute();
  const alerts = rows.map(({ id }) => id);
  if (alerts.length > 0) {
    await tx.deleteFrom("alert_delivery").where("alert_id", "in", alerts).execute();
    await tx.deleteFrom("alert_evaluation").where("alert_id", "in", alerts).execute();
    await tx.deleteFrom("alert").where("id", "in", alerts).execute();
  }
  await tx.deleteFrom("saved_query").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
}

export async function hasWebhooks(db: Reader, orgId: string, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhook")
    .select("id")
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the project has files, or parts of a future file. */
export async function hasFiles(db: Reader, orgId: string, projectId: string): Promise<boolean> {
  const query = db.selectFrom("file").select("id").where("org_id", "=", orgId).where("project_id", "=", projectId);
  if ((await query.limit(1).executeTakeFirst()) !== undefined) return true;
  const part = db
    .selectFrom("upload_part")
    .innerJoin("upload_grant", "upload_grant.id", "upload_part.grant_id")
    .select("upload_part.start")
    .where("upload_grant.org_id", "=", orgId)
    .where("upload_grant.project_id", "=", projectId);
  return (await part.limit(1).executeTakeFirst()) !== undefined;
}

export async function countApps(db: Reader, orgId: string, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom("app")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function projectMembers(db: Reader, orgId: string, projectId: string) {
  return db
    .selectFrom("project_member")
    .innerJoin("person", "person.id", "project_member.user_id")
    .select([
      "project_member.user_id",
      "person.email",
      "person.name",
      "project_member.role",
      "project_member.created_at",
      "project_member.expires_at",
    ])
    .where("project_member.org_id", "=", orgId)
    .where("project_member.project_id", "=", projectId);
}

export async function findProjectMember(
  db: Reader,
  project: Project,
  userId: string,
): Promise<ProjectMember | undefined> {
  return projectMembers(db, project.org_id, project.id).where("project_member.user_id", "=", userId).executeTakeFirst();
}

/** Lists members, newest person first. */
export async function listProjectMemberRows(
  db: Reader,
  project: Project,
  page: { beforeId: string | undefined; limit: number },
): Promise<ProjectMember[]> {
  return projectMembers(db, project.org_id, project.id)
    .$if(page.beforeId !== undefined, (query) => query.where("project_member.user_id", "<", page.beforeId ?? ""))
    .orderBy("project_member.user_id", "desc")
    .limit(page.limit)
    .execute();
}

/** Returns the maintainers whose membership of the project has no end. */
export async function maintainersOf(db: Reader, project: Project): Promise<string[]> {
  const rows = await projectMembers(db, project.org_id, project.id)
    .where("project_member.role", "=", "maintainer")
    .where("project_member.expires_at", "is", null)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Adds the person to the project, or changes their role in it and its end. */
export async function putProjectRole(tx: Writer, row: Tables["project_member"]): Promise<void> {
  await tx
    .insertInto("project_member")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["project_id", "user_id"]).doUpdateSet({ role: row.role, expires_at: row.expires_at }),
    )
    .execute();
}

export async function deleteProjectRole(tx: Writer, project: Project, userId: string): Promise<void> {
  await tx
    .deleteFrom("project_member")
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("user_id", "=", userId)
    .execute();
}
