import type { Reader } from "#stores/metadata/index.ts";
import type { ManifestRow } from "./types.ts";

/** A manifest with data from other tables. */
export interface ImageRow extends ManifestRow {
  readonly project_id: string;
  readonly org_slug: string;
  readonly app_slug: string;
  readonly tags: readonly string[];
  /** The total size of the content that it names. */
  readonly named_bytes: number;
}

type Place = Pick<ManifestRow, "digest" | "repository">;

/** Returns rows by digest and repository, after a place. */
export async function imageRows(
  db: Reader,
  orgId: string,
  after: Place | undefined,
  limit: number,
): Promise<ImageRow[]> {
  const { digest = "", repository = "" } = after ?? {};
  const rows = await db
    .selectFrom("registry_manifest as m")
    .innerJoin("app", "app.id", "m.repository")
    .innerJoin("organization", "organization.id", "m.org_id")
    .selectAll("m")
    .select(["app.project_id", "app.slug as app_slug", "organization.slug as org_slug"])
    .where("m.org_id", "=", orgId)
    .where("app.trashed_at", "is", null)
    .where("m.digest", ">=", digest)
    .where((eb) => eb.or([eb("m.digest", ">", digest), eb("m.repository", ">", repository)]))
    .orderBy("m.digest")
    .orderBy("m.repository")
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  const [tags, bytes] = [await tagsOf(db, rows), await namedBytes(db, rows)];
  return rows.map((row) => ({ ...row, tags: tags.get(keyOf(row)) ?? [], named_bytes: bytes.get(keyOf(row)) ?? 0 }));
}

const keyOf = ({ repository, digest }: Place): string => `${repository} ${digest}`;

async function tagsOf(db: Reader, manifests: readonly Place[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom("registry_tag")
    .select(["repository", "digest", "name"])
    .where("repository", "in", [...new Set(manifests.map(({ repository }) => repository))])
    .where("digest", "in", [...new Set(manifests.map(({ digest }) => digest))])
    .orderBy("name")
    .execute();
  const found = new Map<string, string[]>();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row.name]);
  return found;
}

async function namedBytes(db: Reader, manifests: readonly Place[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("registry_reference")
    .select(({ fn }) => ["repository", "manifest", fn.sum<number>("size").as("bytes")])
    .where("repository", "in", [...new Set(manifests.map(({ repository }) => repository))])
    .where("manifest", "in", [...new Set(manifests.map(({ digest }) => digest))])
    .where("kind", "<>", "foreign")
    .groupBy(["repository", "manifest"])
    .execute();
  return new Map(
    rows.map(({ repository, manifest, bytes }) => [keyOf({ repository, digest: manifest }), Number(bytes)]),
  );
}

export async function manifestCount(db: Reader, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom("registry_manifest as m")
    .innerJoin("app", "app.id", "m.repository")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("m.org_id", "=", orgId)
    .where("app.trashed_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the number of all pulls from the organization's repositories, including deleted ones. */
export async function pullCount(db: Reader, orgId: string): Promise<number> {
  const { pulls } = await db
    .selectFrom("app")
    .innerJoin("registry_repository as r", "r.id", "app.id")
    .select(({ fn }) => fn.sum<number | null>("r.pulls").as("pulls"))
    .where("app.org_id", "=", orgId)
    .executeTakeFirstOrThrow();
  return Number(pulls ?? 0);
}
