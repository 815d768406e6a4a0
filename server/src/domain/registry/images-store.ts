import { withinProjects, withProject, type ProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { Reader, Tables } from "#stores/metadata/index.ts";
import { inChunks } from "./store.ts";
import type { ManifestRow, ReferenceRow, TagRow } from "./types.ts";

/** An app with the data of its repository. */
export interface RepositoryRow extends ProjectColumns {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly slug: string;
  readonly is_public: number | null;
  readonly immutable_tags: string | null;
  readonly retention: string | null;
  readonly pulls: number | null;
  readonly last_pull_at: number | null;
  readonly last_push_at: number | null;
}

function rows(db: Reader, orgId: string) {
  return withProject(db.selectFrom("app"), "app.project_id")
    .leftJoin("registry_repository as r", "r.id", "app.id")
    .select([
      "app.id",
      "app.org_id",
      "app.project_id",
      "app.slug",
      "r.is_public",
      "r.immutable_tags",
      "r.retention",
      "r.pulls",
      "r.last_pull_at",
      "r.last_push_at",
    ])
    .where("app.org_id", "=", orgId)
    .where("app.trashed_at", "is", null);
}

/** Finds a repository by id or slug. The two differ: an id has a `_`, a slug has none. */
export async function repositoryRow(db: Reader, orgId: string, idOrSlug: string): Promise<RepositoryRow | undefined> {
  return rows(db, orgId)
    .where(idOrSlug.startsWith("app_") ? "app.id" : "app.slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Returns the repositories within reach, newest first. */
export async function repositoryRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { readonly beforeId: string | undefined; readonly limit: number; readonly projectId: string | undefined },
): Promise<RepositoryRow[]> {
  return rows(db, orgId)
    .where(withinProjects(reach, "app.project_id", "app.id"))
    .$if(page.projectId !== undefined, (query) => query.where("app.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("app.id", "<", page.beforeId ?? ""))
    .orderBy("app.id", "desc")
    .limit(page.limit)
    .execute();
}

/** Returns tags with their manifests, by name. */
export async function tagPage(
  db: Reader,
  repository: string,
  page: { readonly after: string; readonly limit: number },
): Promise<(TagRow & Pick<ManifestRow, "media_type" | "artifact_type" | "size" | "pulls" | "last_pull_at">)[]> {
  return db
    .selectFrom("registry_tag as t")
    .innerJoin("registry_manifest as m", (join) =>
      join.onRef("m.repository", "=", "t.repository").onRef("m.digest", "=", "t.digest"),
    )
    .selectAll("t")
    .select(["m.media_type", "m.artifact_type", "m.size", "m.pulls", "m.last_pull_at"])
    .where("t.repository", "=", repository)
    .where("t.name", ">", page.after)
    .orderBy("t.name")
    .limit(page.limit)
    .execute();
}

/** Returns the references of these manifests, up to a limit. */
export async function referencesOfAll(
  db: Reader,
  repository: string,
  manifests: readonly string[],
  limit: number,
): Promise<ReferenceRow[]> {
  const found: ReferenceRow[] = [];
  for (const chunk of inChunks(manifests)) {
    const query = db.selectFrom("registry_reference").selectAll().where("repository", "=", repository);
    const inOrder = query.where("manifest", "in", chunk).orderBy("manifest").orderBy("position");
    for (const row of await inOrder.limit(Math.max(0, limit - found.length)).execute()) found.push(row);
  }
  return found;
}

export async function someManifests(db: Reader, repository: string, limit: number): Promise<string[]> {
  const query = db.selectFrom("registry_manifest").select("digest").where("repository", "=", repository);
  return (await query.orderBy("digest").limit(limit).execute()).map(({ digest }) => digest);
}

export async function someBlobs(db: Reader, repository: string, limit: number): Promise<string[]> {
  const query = db.selectFrom("registry_blob").select("digest").where("repository", "=", repository);
  return (await query.orderBy("digest").limit(limit).execute()).map(({ digest }) => digest);
}

export async function uploadsOf(db: Reader, repository: string): Promise<Tables["registry_upload"][]> {
  return db.selectFrom("registry_upload").selectAll().where("repository", "=", repository).execute();
}

export async function allTags(db: Reader, repository: string): Promise<string[]> {
  const query = db.selectFrom("registry_tag").select("name").where("repository", "=", repository);
  return (await query.execute()).map(({ name }) => name);
}
