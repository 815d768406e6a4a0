import { sql } from "kysely";
import { withinProjects, withProject, type ProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { MetadataStore, Reader, Tables, Writer } from "#stores/metadata/index.ts";

type AppRow = Tables["app"];

/** An app with the columns of its project that decide who may see it. */
export interface App extends AppRow, ProjectColumns {
  project_slug: string;
}

function apps(db: Reader, orgId: string) {
  return withProject(db.selectFrom("app").selectAll("app"), "app.project_id")
    .select("project.slug as project_slug")
    .where("app.org_id", "=", orgId)
    .where("app.trashed_at", "is", null);
}

/** Finds an app by id or slug. The two differ: an id has a `_`, a slug has none. */
export async function appByName(db: Reader, orgId: string, idOrSlug: string): Promise<App | undefined> {
  return apps(db, orgId)
    .where(idOrSlug.startsWith("app_") ? "app.id" : "app.slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Lists the apps within reach, of one project or all, newest first. */
export async function listAppRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { projectId: string | undefined; beforeId: string | undefined; limit: number },
): Promise<App[]> {
  return apps(db, orgId)
    .where(withinProjects(reach, "app.project_id"))
    .$if(page.projectId !== undefined, (query) => query.where("app.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("app.id", "<", page.beforeId ?? ""))
    .orderBy("app.id", "desc")
    .limit(page.limit)
    .execute();
}

/** Returns the names of the repositories of these apps, without those that are gone. */
export async function repositoryNamesOf(db: Reader, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("app")
    .innerJoin("organization", "organization.id", "app.org_id")
    .select(["app.slug", "organization.slug as org_slug"])
    .where("app.id", "in", [...ids])
    .execute();
  return rows.map((row) => `orgs/${row.org_slug}/${row.slug}`);
}

/** Returns false if the slug is taken. */
export async function insertApp(tx: Writer, row: AppRow): Promise<boolean> {
  const inserted = await tx
    .insertInto("app")
    .values(row)
    .onConflict((conflict) => conflict.columns(["org_id", "slug"]).doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

export async function setAppName(tx: Writer, orgId: string, appId: string, name: string): Promise<void> {
  await tx.updateTable("app").set({ name }).where("org_id", "=", orgId).where("id", "=", appId).execute();
}

export async function deleteAppRow(tx: Writer, orgId: string, appId: string): Promise<void> {
  await tx.deleteFrom("app").where("org_id", "=", orgId).where("id", "=", appId).execute();
}

type AppKey = Pick<AppRow, "id" | "org_id">;

/** Whether the app's bucket or its repository has anything that a deletion would lose. */
export async function hasContent(db: Reader, app: AppKey): Promise<boolean> {
  return (await bucketHasContent(db, app)) || (await repositoryHasContent(db, app));
}

async function has(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether the bucket has objects, versions or uploads. */
async function bucketHasContent(db: Reader, { id }: AppKey): Promise<boolean> {
  for (const table of ["s3_object", "s3_history"] as const)
    if (await has(db.selectFrom(table).select("bucket").where("bucket", "=", id).limit(1))) return true;
  const uploads = db.selectFrom("s3_upload").select("id").where("bucket", "=", id).where("completed_at", "is", null);
  return has(uploads.limit(1));
}

/** Whether the repository has images, blobs, uploads with content, or deleted images in the trash. */
async function repositoryHasContent(db: Reader, { id, org_id: orgId }: AppKey): Promise<boolean> {
  for (const table of ["registry_manifest", "registry_blob"] as const)
    if (await has(db.selectFrom(table).select("repository").where("repository", "=", id).limit(1))) return true;
  const uploads = db.selectFrom("registry_upload").select("id").where("repository", "=", id).where("received", ">", 0);
  if (await has(uploads.limit(1))) return true;
  const items = db.selectFrom("trash_item").select("id").where("org_id", "=", orgId).where("object_id", "=", id);
  return has(items.limit(1));
}

/** Deletes the settings of an app's bucket. Returns false if it has objects, versions or uploads. */
export async function deleteEmptyBucket(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  { id, org_id: orgId }: AppKey,
): Promise<boolean> {
  // Writes of objects lock the row until they end, so the check below sees what they wrote.
  if (dialect === "postgres") await tx.selectFrom("app").select("id").where("id", "=", id).forUpdate().execute();
  if (await bucketHasContent(tx, { id, org_id: orgId })) return false;
  await tx.deleteFrom("s3_upload").where("bucket", "=", id).execute();
  await tx.deleteFrom("s3_usage").where("org_id", "=", orgId).where("bucket", "=", id).execute();
  await tx.deleteFrom("s3_bucket").where("id", "=", id).execute();
  return true;
}

/** The most objects of a bucket that can be moved. One transaction rewrites their access lists. */
export const MOVED_OBJECTS_MAX = 1_000_000;

/**
 * Moves an app to another project. Objects of the bucket's owner need no change. Access lists name the owner as
 * `"id":"proj_…"` in their JSON. This text can't be part of somebody's value, because quotation marks in values are
 * escaped.
 */
export async function setAppProject(tx: Writer, app: Pick<AppRow, "id" | "org_id" | "project_id">, to: string) {
  const { id, org_id: orgId, project_id: from } = app;
  await tx.updateTable("app").set({ project_id: to }).where("org_id", "=", orgId).where("id", "=", id).execute();
  const [old, present] = [`"id":"${from}"`, `"id":"${to}"`];
  await tx
    .updateTable("s3_bucket")
    .set((eb) => ({ config: sql<string>`replace(config, ${old}, ${present})`, revision: eb("revision", "+", 1) }))
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("config", "like", `%${old}%`)
    .execute();
  for (const table of ["s3_object", "s3_history", "s3_upload"] as const) {
    await tx
      .updateTable(table)
      .set({ detail: sql<string>`replace(detail, ${old}, ${present})` })
      .where("org_id", "=", orgId)
      .where("bucket", "=", id)
      .where("detail", "like", `%${old}%`)
      .execute();
  }
}

/**
 * Deletes the settings of an app's repository. Returns false if it has images, blobs or uploads with content, or
 * deleted images in the trash.
 */
export async function deleteEmptyRepository(tx: Writer, { id, org_id: orgId }: AppKey): Promise<boolean> {
  if (await repositoryHasContent(tx, { id, org_id: orgId })) return false;
  await tx.deleteFrom("registry_upload").where("repository", "=", id).execute();
  await tx.deleteFrom("registry_contents").where("repository", "=", id).execute();
  await tx.deleteFrom("registry_repository").where("id", "=", id).execute();
  return true;
}
