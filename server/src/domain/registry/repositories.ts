import type { Principal } from "#domain/identity/index.ts";
import { joinProject, withinProjects, withProject, type ProjectColumns, type Reach } from "#domain/projects/index.ts";
import { suspensionOf } from "#domain/suspension/index.ts";
import { prepared, type MetadataStore, type Reader, type Writer } from "#stores/metadata/index.ts";
import { parseName } from "./name.ts";
import type { NamedRepository } from "./types.ts";

/** Returns undefined if no app has the name. `decideAccess` decides who may see it. */
export async function repositoryByName(db: Reader, name: string): Promise<NamedRepository | undefined> {
  const parts = parseName(name);
  if (parts === undefined) return undefined;
  const [row] = await BY_NAME.execute(db, parts.org, parts.app);
  return row === undefined ? undefined : repositoryOf(row);
}

const BY_NAME = prepared((db, org: string, app: string) =>
  repositories(db).where("organization.slug", "=", org).where("app.slug", "=", app),
);

/** Returns repositories of the organization that have this content. With names: only those of them. */
export async function repositoriesWith(
  db: Reader,
  orgId: string,
  digest: string,
  names?: readonly string[],
): Promise<NamedRepository[]> {
  const found = repositories(db)
    .innerJoin("registry_blob", "registry_blob.repository", "app.id")
    .where("registry_blob.org_id", "=", orgId)
    .where("registry_blob.digest", "=", digest)
    .limit(MOUNT_SOURCES_MAX);
  const slugs = names?.flatMap((name) => parseName(name)?.app ?? []);
  if (slugs?.length === 0) return [];
  const rows = await (slugs === undefined ? found : found.where("app.slug", "in", slugs)).execute();
  return rows.map(repositoryOf);
}

/** The most repositories that are searched for content when a mount names no source. */
const MOUNT_SOURCES_MAX = 100;

/** Runs changes of an organization's images one after another, so that leases, quota and counters match the rows. */
export async function lockRegistry(
  deps: { readonly metadata: Pick<MetadataStore, "lock"> },
  tx: Writer,
  orgId: string,
): Promise<void> {
  await deps.metadata.lock(tx, `registry:${orgId}`);
}

function repositories(db: Reader) {
  return withProject(db.selectFrom("app"), "app.project_id")
    .where("app.trashed_at", "is", null)
    .innerJoin("organization", "organization.id", "app.org_id")
    .leftJoin("registry_repository as r", "r.id", "app.id")
    .select([
      "app.id",
      "app.org_id",
      "app.project_id",
      "app.slug as app_slug",
      "organization.slug as org_slug",
      "organization.state",
      "organization.state_reason",
      "r.is_public",
      "r.immutable_tags",
    ]);
}

interface Row extends ProjectColumns {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly app_slug: string;
  readonly org_slug: string;
  readonly state: string;
  readonly state_reason: string | null;
  readonly is_public: number | null;
  readonly immutable_tags: string | null;
}

function repositoryOf(row: Row): NamedRepository {
  return {
    id: row.id,
    orgId: row.org_id,
    projectId: row.project_id,
    orgSlug: row.org_slug,
    appSlug: row.app_slug,
    visibility: row.visibility,
    projectState: row.project_state,
    organization: suspensionOf(row),
    isPublic: row.is_public === 1,
    immutableTags: row.immutable_tags === null ? [] : (JSON.parse(row.immutable_tags) as string[]),
  };
}

/** Returns the names of repositories with at least one push that a principal reaches, in the order of their bytes. */
export async function repositoryNames(
  db: Reader,
  principal: Pick<Principal, "orgId" | "orgSlug">,
  reach: Reach,
  page: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const prefix = `orgs/${principal.orgSlug}/`;
  const apps = db.selectFrom("registry_repository as r").innerJoin("app", "app.id", "r.id");
  const rows = await joinProject(apps, "app.project_id")
    .select("r.slug")
    .where("r.org_id", "=", principal.orgId)
    .where("app.trashed_at", "is", null)
    .where("r.last_push_at", "is not", null)
    .where(withinProjects(reach, "app.project_id", "app.id"))
    .where("r.slug", ">", page.after.startsWith(prefix) ? page.after.slice(prefix.length) : "")
    .orderBy("r.slug")
    .limit(page.limit)
    .execute();
  return rows.map(({ slug }) => prefix + slug);
}

export async function repositoryById(db: Reader, id: string): Promise<NamedRepository | undefined> {
  const row = await repositories(db).where("app.id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : repositoryOf(row);
}
