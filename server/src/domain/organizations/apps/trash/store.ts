import { sql } from "kysely";
import { hiddenSlug } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

type AppRow = Tables["app"];
type Key = Pick<AppRow, "id" | "org_id">;
type InProject = { readonly orgId: string; readonly projectId: string };

/** Puts an app into the trash. Its bucket and its repository are absent meanwhile, and its slug is free. */
export async function putInTrash(
  tx: Writer,
  { id, org_id, slug }: Key & { slug: string },
  atMs: number,
): Promise<void> {
  const set = { trashed_at: atMs, slug: hiddenSlug(id), former_slug: slug };
  await tx.updateTable("app").set(set).where("org_id", "=", org_id).where("id", "=", id).execute();
}

/** Takes an app out of the trash, with a slug that is free. */
export async function takeFromTrash(tx: Writer, { id, org_id: orgId }: Key, slug: string): Promise<void> {
  const set = { trashed_at: null, slug, former_slug: null };
  await tx.updateTable("app").set(set).where("org_id", "=", orgId).where("id", "=", id).execute();
  await tx.updateTable("registry_repository").set({ slug }).where("id", "=", id).execute();
}

/** Frees the slugs of the apps that go into the trash with their project. Those that are there already have none. */
export async function freeSlugs(tx: Writer, { orgId, projectId }: InProject): Promise<void> {
  await sql`update app set former_slug = slug, slug = '~' || id
    where org_id = ${orgId} and project_id = ${projectId} and trashed_at is null`.execute(tx);
}

/** Returns the slug of the first app of a project in the trash whose slug another app has now. */
export async function slugInTheWay(db: Reader, { orgId, projectId }: InProject): Promise<string | undefined> {
  const row = await db
    .selectFrom("app as a")
    .innerJoin("app as other", (join) =>
      join.onRef("other.org_id", "=", "a.org_id").onRef("other.slug", "=", "a.former_slug"),
    )
    .select("other.slug")
    .where("a.org_id", "=", orgId)
    .where("a.project_id", "=", projectId)
    .where("a.trashed_at", "is", null)
    .orderBy("other.slug")
    .limit(1)
    .executeTakeFirst();
  return row?.slug;
}

/** Gives the apps of a restored project their slugs again. */
export async function takeSlugsAgain(tx: Writer, { orgId, projectId }: InProject): Promise<void> {
  await sql`update registry_repository set slug = (select a.former_slug from app as a where a.id = registry_repository.id)
    where id in (select id from app where org_id = ${orgId} and project_id = ${projectId}
      and trashed_at is null and former_slug is not null)`.execute(tx);
  await sql`update app set slug = former_slug, former_slug = null
    where org_id = ${orgId} and project_id = ${projectId}
      and trashed_at is null and former_slug is not null`.execute(tx);
}

/** Whether an app is the hidden one that keeps a deleted image. */
export function isKeeper({ slug, former_slug: former }: Pick<AppRow, "slug" | "former_slug">): boolean {
  return former === null && slug.startsWith("~");
}

/** Returns all apps of a project, also those in the trash. */
export async function everyAppOf(db: Reader, orgId: string, projectId: string): Promise<AppRow[]> {
  const query = db.selectFrom("app").selectAll().where("org_id", "=", orgId).where("project_id", "=", projectId);
  return query.orderBy("id").execute();
}

/** Returns the slug of an app whose bucket has an object lock and content: this app, or the first one of a project. */
export async function lockedBucketOf(
  db: Reader,
  place: { readonly column: "id" | "project_id"; readonly value: string },
): Promise<string | undefined> {
  const rows = db
    .selectFrom("app as a")
    .innerJoin("s3_bucket as b", "b.id", "a.id")
    .select("a.slug")
    .where(`a.${place.column}`, "=", place.value)
    .where("b.config", "like", '%"objectLock":%')
    .where((eb) =>
      eb.or(
        (["s3_object", "s3_history"] as const).map((table) =>
          eb.exists(
            eb.selectFrom(table).select("key").whereRef("bucket", "=", "a.id").where("blob_id", "is not", null),
          ),
        ),
      ),
    );
  return (await rows.limit(1).executeTakeFirst())?.slug;
}
