import {
  joinProject,
  projectSlugs,
  withinProjects,
  withProject,
  type ProjectColumns,
  type Reach,
} from "#domain/projects/index.ts";
import { prepared, type Reader, type Tables, type Writer } from "#stores/metadata/index.ts";
import type { VersioningState } from "../types/index.ts";

export interface BucketRow extends ProjectColumns {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly slug: string;
  readonly created_at: number;
  readonly project_slug: string;
  readonly versioning: VersioningState | null;
  readonly config: string | null;
  readonly revision: number | null;
}

function buckets(db: Reader) {
  return withProject(db.selectFrom("app as a"), "a.project_id")
    .where("a.trashed_at", "is", null)
    .leftJoin("s3_bucket as b", "b.id", "a.id")
    .select([
      "a.id",
      "a.org_id",
      "a.project_id",
      "a.slug",
      "a.created_at",
      "project.slug as project_slug",
      "b.versioning",
      "b.config",
      "b.revision",
    ]);
}

export async function bucketByName(db: Reader, orgId: string, name: string): Promise<BucketRow | undefined> {
  return (await BUCKET_BY_NAME.execute(db, orgId, name))[0];
}

const BUCKET_BY_NAME = prepared((db, orgId: string, name: string) =>
  buckets(db).where("a.org_id", "=", orgId).where("a.slug", "=", name),
);

export async function bucketById(db: Reader, id: string): Promise<BucketRow | undefined> {
  return buckets(db).where("a.id", "=", id).executeTakeFirst();
}

/** Finds the buckets with a policy or an access control list, in all organizations except one. */
export async function configuredBuckets(
  db: Reader,
  exceptOrgId: string | undefined,
): Promise<{ organization: string; name: string; config: string }[]> {
  const rows = db.selectFrom("s3_bucket as b").innerJoin("app as a", "a.id", "b.id");
  return joinProject(rows, "a.project_id")
    .innerJoin("organization as o", "o.id", "a.org_id")
    .where("a.trashed_at", "is", null)
    .select(["o.slug as organization", "a.slug as name", "b.config"])
    .where("o.id", "!=", exceptOrgId ?? "")
    .where((at) => at.or([at("b.config", "like", '%"policy":%'), at("b.config", "like", '%"acl":%')]))
    .orderBy("o.slug")
    .orderBy("a.slug")
    .execute();
}

/** Lists the buckets that a key owns, by name. */
export async function listBucketRows(
  db: Reader,
  reach: {
    readonly orgId: string;
    readonly projectId: string | null;
    readonly names: readonly string[] | null;
    /** Only these apps. Absent: all. */
    readonly ids?: readonly string[];
  },
  page: {
    readonly prefix: string;
    readonly prefixEnd: string | undefined;
    readonly after: string;
    readonly limit: number;
  },
): Promise<{ slug: string; created_at: number }[]> {
  const { orgId, projectId, names, ids } = reach;
  const projectIds = projectId === null ? [] : [projectId];
  const own: Reach = {
    organization: false,
    visibleProjects: projectId === null,
    projectIds,
    exceptStates: [],
    ...(ids === undefined ? {} : { ids }),
  };
  return joinProject(db.selectFrom("app as a"), "a.project_id")
    .select(["a.slug", "a.created_at"])
    .where("a.org_id", "=", orgId)
    .where("a.trashed_at", "is", null)
    .where(withinProjects(own, "a.project_id", "a.id"))
    .$if(names !== null, (query) => query.where("a.slug", "in", [...(names ?? [])]))
    .where("a.slug", ">=", page.prefix)
    .$if(page.prefixEnd !== undefined, (query) => query.where("a.slug", "<", page.prefixEnd ?? ""))
    .where("a.slug", ">", page.after)
    .orderBy("a.slug")
    .limit(page.limit)
    .execute();
}

/** Returns slugs by id, for projects and the organization. */
export async function displayNames(db: Reader, orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const organization = db.selectFrom("organization").select(["id", "slug"]).where("id", "=", orgId);
  const rows = [...(await projectSlugs(db, orgId, ids)), ...(ids.includes(orgId) ? await organization.execute() : [])];
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/** Reads the bucket's row in the transaction. The caller holds the bucket's lock. */
export async function settingsOf(
  db: Reader,
  id: string,
): Promise<Pick<Tables["s3_bucket"], "versioning" | "config" | "revision"> | undefined> {
  return db
    .selectFrom("s3_bucket")
    .select(["versioning", "config", "revision"])
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function putSettings(tx: Writer, row: Tables["s3_bucket"]): Promise<void> {
  const { id: _id, org_id: _orgId, ...change } = row;
  await tx
    .insertInto("s3_bucket")
    .values(row)
    .onConflict((on) => on.column("id").doUpdateSet(change))
    .execute();
}
