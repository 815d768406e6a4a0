import type { Reach } from "#domain/identity/index.ts";
import type { MetadataStore, Reader, Tables, Writer } from "#stores/metadata/index.ts";

type AppRow = Tables["app"];

/** An app with what its project says about who may see it. */
export interface App extends AppRow {
  project_slug: string;
  visibility: Tables["project"]["visibility"];
}

function apps(db: Reader, orgId: string) {
  return db
    .selectFrom("app")
    .innerJoin("project", "project.id", "app.project_id")
    .selectAll("app")
    .select(["project.slug as project_slug", "project.visibility"])
    .where("app.org_id", "=", orgId);
}

/** By id, or by slug: no slug has the `_` of an id. */
export async function appByName(db: Reader, orgId: string, idOrSlug: string): Promise<App | undefined> {
  return apps(db, orgId)
    .where(idOrSlug.startsWith("app_") ? "app.id" : "app.slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Those within reach, of one project or all, newest first. */
export async function listAppRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { projectId: string | undefined; beforeId: string | undefined; limit: number },
): Promise<App[]> {
  return apps(db, orgId)
    .where((eb) =>
      eb.or([
        ...(reach.visibleProjects ? [eb("project.visibility", "=", "organization")] : []),
        ...(reach.projectIds.length > 0 ? [eb("app.project_id", "in", [...reach.projectIds])] : []),
      ]),
    )
    .$if(page.projectId !== undefined, (query) => query.where("app.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("app.id", "<", page.beforeId ?? ""))
    .orderBy("app.id", "desc")
    .limit(page.limit)
    .execute();
}

/** False when the slug is taken. */
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

/** Forgets what was set for an app's bucket; false while there are objects, versions or uploads in it. */
export async function takeBucketAway(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  { id, org_id: orgId }: Pick<AppRow, "id" | "org_id">,
): Promise<boolean> {
  // Writes of objects under way have the row for themselves until they end: what they made is seen below.
  if (dialect === "postgres") await tx.selectFrom("app").select("id").where("id", "=", id).forUpdate().execute();
  for (const table of ["s3_object", "s3_history"] as const) {
    const query = tx.selectFrom(table).select("bucket").where("bucket", "=", id).limit(1);
    if ((await query.executeTakeFirst()) !== undefined) return false;
  }
  const uploads = tx.selectFrom("s3_upload").select("id").where("bucket", "=", id).where("completed_at", "is", null);
  if ((await uploads.limit(1).executeTakeFirst()) !== undefined) return false;
  await tx.deleteFrom("s3_upload").where("bucket", "=", id).execute();
  await tx.deleteFrom("s3_usage").where("org_id", "=", orgId).where("bucket", "=", id).execute();
  await tx.deleteFrom("s3_bucket").where("id", "=", id).execute();
  return true;
}

/** Forgets what was set for an app's repository; false while there are images, blobs or uploads with content in it. */
export async function takeRepositoryAway(tx: Writer, { id }: Pick<AppRow, "id">): Promise<boolean> {
  for (const table of ["registry_manifest", "registry_blob"] as const) {
    const query = tx.selectFrom(table).select("repository").where("repository", "=", id).limit(1);
    if ((await query.executeTakeFirst()) !== undefined) return false;
  }
  const uploads = tx.selectFrom("registry_upload").select("id").where("repository", "=", id).where("received", ">", 0);
  if ((await uploads.limit(1).executeTakeFirst()) !== undefined) return false;
  await tx.deleteFrom("registry_upload").where("repository", "=", id).execute();
  await tx.deleteFrom("registry_repository").where("id", "=", id).execute();
  return true;
}
