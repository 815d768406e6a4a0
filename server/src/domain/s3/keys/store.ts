import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type KeyRow = Tables["s3_key"];

/** A key with what bounds it, except its creator. */
export interface KeyContext extends KeyRow, OptionalProjectColumns {
  org_slug: string;
  policy: string;
  project_slug: string | null;
}

function keys(db: Reader) {
  return withOptionalProject(db.selectFrom("s3_key as k"), "k.project_id")
    .innerJoin("organization as o", "o.id", "k.org_id")
    .selectAll("k")
    .select(["o.slug as org_slug", "o.policy", "project.slug as project_slug"]);
}

export async function keyByAccessKey(db: Reader, accessKey: string): Promise<KeyContext | undefined> {
  return keys(db).where("k.access_key", "=", accessKey).executeTakeFirst();
}

/** By its id or by its access key. */
export async function keyByName(db: Reader, orgId: string, name: string): Promise<KeyContext | undefined> {
  return keys(db)
    .where("k.org_id", "=", orgId)
    .where(name.startsWith("key_") ? "k.id" : "k.access_key", "=", name)
    .executeTakeFirst();
}

/** Those within reach, newest first. */
export async function listKeyRows(
  db: Reader,
  orgId: string,
  reach: Reach | "everything",
  page: {
    readonly projectId: string | undefined;
    readonly includeRevoked: boolean;
    readonly beforeId: string | undefined;
    readonly limit: number;
  },
): Promise<KeyContext[]> {
  return keys(db)
    .where("k.org_id", "=", orgId)
    .$call((query) => (reach === "everything" ? query : query.where(withinReach(reach, "k.project_id"))))
    .$if(page.projectId !== undefined, (query) => query.where("k.project_id", "=", page.projectId ?? ""))
    .$if(!page.includeRevoked, (query) => query.where("k.revoked_at", "is", null))
    .$if(page.beforeId !== undefined, (query) => query.where("k.id", "<", page.beforeId ?? ""))
    .orderBy("k.id", "desc")
    .limit(page.limit)
    .execute();
}

export async function countLiveKeys(
  db: Reader,
  orgId: string,
  { atMs, lifetimeMsMax }: { readonly atMs: number; readonly lifetimeMsMax: number | null },
): Promise<number> {
  const row = await db
    .selectFrom("s3_key")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("org_id", "=", orgId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", atMs)]))
    .$if(lifetimeMsMax !== null, (query) => query.where("created_at", ">", atMs - (lifetimeMsMax ?? 0)))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function organizationOf(db: Reader, orgId: string): Promise<{ slug: string; policy: string } | undefined> {
  return db.selectFrom("organization").select(["slug", "policy"]).where("id", "=", orgId).executeTakeFirst();
}

export async function insertKey(tx: Writer, row: KeyRow): Promise<void> {
  await tx.insertInto("s3_key").values(row).execute();
}

export async function setRevoked(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx.updateTable("s3_key").set({ revoked_at: atMs }).where("id", "=", id).execute();
}

export async function setKey(
  tx: Writer,
  id: string,
  set: Partial<Pick<KeyRow, "name" | "allowed_addresses" | "pending">>,
): Promise<void> {
  await tx.updateTable("s3_key").set(set).where("id", "=", id).execute();
}

/** Other nodes report too, so a time only ever moves forward. */
export async function setLastUsed(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx
    .updateTable("s3_key")
    .set({ last_used_at: atMs })
    .where("id", "=", id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", atMs)]))
    .execute();
}

/** The organization with this slug; without one the oldest, so that what is public stays so when another one is created. */
export async function publicOrganization(db: Reader, slug: string | null): Promise<string | undefined> {
  const row = await db
    .selectFrom("organization")
    .select("id")
    .$if(slug !== null, (query) => query.where("slug", "=", slug ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export async function organizationSlug(db: Reader, id: string): Promise<string | undefined> {
  const row = await db.selectFrom("organization").select("slug").where("id", "=", id).executeTakeFirst();
  return row?.slug;
}
