import type { ProjectMemberRole } from "@mooring/contract";
import { customRoleOf } from "#domain/identity/index.ts";
import { addUsage, usageOf } from "#domain/quotas/index.ts";
import { deleteProjectRow, type Project } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export interface ProjectMember {
  user_id: string;
  email: string;
  name: string;
  role: ProjectMemberRole;
  /** The id of the custom role, and its columns. Null: the role is built in. */
  custom_role: string | null;
  custom_slug: string | null;
  custom_scopes: string | null;
  created_at: number;
  /** When the membership ends. Null: no end. It may have passed. */
  expires_at: number | null;
  /** When the owner entered the private project by themselves, and why. */
  entered_at: number | null;
  entered_reason: string | null;
}

/** Deletes the project, with the rows that depend on it. */
export async function deleteProjectRows(tx: Writer, orgId: string, projectId: string): Promise<void> {
  await deleteSavedQueries(tx, orgId, projectId);
  await tx.deleteFrom("ingest_rule").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  // Its open uploads can't be completed any more, so their reservations are released.
  await tx.deleteFrom("upload_grant").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  await expireTrash(tx, orgId, projectId);
  await tx.deleteFrom("file_usage").where("org_id", "=", orgId).where("place", "=", projectId).execute();
  await tx.deleteFrom("project_group").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
  await tx.deleteFrom("webhook_policy").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
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

/** Returns the webhooks of a project, also deleted ones. */
export async function webhooksOf(
  db: Reader,
  orgId: string,
  projectId: string,
): Promise<{ id: string; deleted_at: number | null }[]> {
  const query = db.selectFrom("webhook").select(["id", "deleted_at"]).where("org_id", "=", orgId);
  return query.where("project_id", "=", projectId).orderBy("id").execute();
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
      "project_member.entered_at",
      "project_member.entered_reason",
      "project_member.custom_role",
    ])
    .select(customRoleOf("project_member"))
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

/** An owner's entry into a private project. Absent: somebody made the person a member. */
type Entry = Pick<Tables["project_member"], "entered_at" | "entered_reason">;

/** Adds the person to the project, or changes their role in it and its end. */
export async function putProjectRole(
  tx: Writer,
  {
    custom_role = null,
    ...row
  }: Omit<Tables["project_member"], keyof Entry | "custom_role"> & { custom_role?: string | null },
  { entered_at, entered_reason }: Entry = { entered_at: null, entered_reason: null },
): Promise<void> {
  const { role, expires_at } = row;
  const entry = { custom_role, entered_at, entered_reason };
  await tx
    .insertInto("project_member")
    .values({ ...row, ...entry })
    .onConflict((conflict) => conflict.columns(["project_id", "user_id"]).doUpdateSet({ role, expires_at, ...entry }))
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

/** A large project must not send a mail to each of its maintainers. */
const ADDRESSES_MAX = 100;

/** Returns the e-mail addresses of the maintainers, by themselves and by groups. */
export async function maintainerAddresses(db: Reader, project: Project, nowMs: number): Promise<string[]> {
  const own = await db
    .selectFrom("project_member as m")
    .innerJoin("person", "person.id", "m.user_id")
    .select("person.email")
    .where("m.project_id", "=", project.id)
    .where("m.role", "=", "maintainer")
    .where((row) => row.or([row("m.expires_at", "is", null), row("m.expires_at", ">", nowMs)]))
    .limit(ADDRESSES_MAX)
    .execute();
  const byGroups = await db
    .selectFrom("project_group as m")
    .innerJoin("group_member as g", "g.group_id", "m.group_id")
    .innerJoin("person", "person.id", "g.user_id")
    .select("person.email")
    .where("m.project_id", "=", project.id)
    .where("m.role", "=", "maintainer")
    .where((row) => row.or([row("m.expires_at", "is", null), row("m.expires_at", ">", nowMs)]))
    .where((row) => row.or([row("g.expires_at", "is", null), row("g.expires_at", ">", nowMs)]))
    .limit(ADDRESSES_MAX)
    .execute();
  return [...new Set([...own, ...byGroups].map(({ email }) => email))].slice(0, ADDRESSES_MAX);
}

/** What a project has, as numbers. */
interface ProjectSize {
  readonly members: number;
  readonly groups: number;
  readonly apps: number;
  readonly credentials: number;
  readonly s3_keys: number;
  readonly files: number;
  readonly files_bytes: number;
  readonly images_bytes: number;
  readonly objects: number;
  readonly objects_bytes: number;
}

/**
 * Counts what a project has, from counters where there are many rows. Revoked credentials and keys, and everything in
 * the trash are left out.
 */
export async function sizeOf(db: Reader, { id, org_id: orgId }: Pick<Project, "id" | "org_id">): Promise<ProjectSize> {
  const count = async (table: "project_group" | "project_member"): Promise<number> => {
    const rows = db.selectFrom(table).select((eb) => eb.fn.countAll().as("n"));
    return Number((await rows.where("project_id", "=", id).executeTakeFirst())?.n ?? 0);
  };
  const apps = await db
    .selectFrom("app")
    .select((eb) => eb.fn.countAll().as("n"))
    .where("project_id", "=", id)
    .where("trashed_at", "is", null)
    .executeTakeFirst();
  const live = async (table: "credential" | "s3_key"): Promise<number> => {
    const rows = db.selectFrom(table as "credential").select((eb) => eb.fn.countAll().as("n"));
    const mine = rows.where("org_id", "=", orgId).where("project_id", "=", id).where("revoked_at", "is", null);
    return Number((await mine.executeTakeFirst())?.n ?? 0);
  };
  const { files, bytes } = await usageOf(db, "files", { org_id: orgId, place: id });
  const images = await db
    .selectFrom("registry_contents as c")
    .innerJoin("app", "app.id", "c.repository")
    .select((eb) => eb.fn.sum("c.bytes").as("bytes"))
    .where("app.project_id", "=", id)
    .where("app.trashed_at", "is", null)
    .executeTakeFirst();
  const objects = await db
    .selectFrom("s3_usage as u")
    .innerJoin("app", "app.id", "u.bucket")
    .select((eb) => [eb.fn.sum("u.objects").as("objects"), eb.fn.sum("u.bytes").as("bytes")])
    .where("app.project_id", "=", id)
    .where("app.trashed_at", "is", null)
    .executeTakeFirst();
  return {
    members: await count("project_member"),
    groups: await count("project_group"),
    apps: Number(apps?.n ?? 0),
    credentials: await live("credential"),
    s3_keys: await live("s3_key"),
    files: Number(files),
    files_bytes: Number(bytes),
    images_bytes: Number(images?.bytes ?? 0),
    objects: Number(objects?.objects ?? 0),
    objects_bytes: Number(objects?.bytes ?? 0),
  };
}
