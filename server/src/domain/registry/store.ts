import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { Contents } from "./contents-store.ts";

/** Identifiers in one statement. */
const CHUNK = 500;

export function inChunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) => items.slice(i * CHUNK, (i + 1) * CHUNK));
}

const NEW_REPOSITORY = { is_public: 0, immutable_tags: "[]", retention: null, pulls: 0 } as const;

/** The slug of the repository's app. */
const slugOf = (id: string) => sql<string>`(select slug from app where id = ${id})`;

/** Stores the time of a push. */
export async function touchRepository(
  tx: Writer,
  repository: { readonly id: string; readonly orgId: string },
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto("registry_repository")
    .values({
      ...NEW_REPOSITORY,
      id: repository.id,
      org_id: repository.orgId,
      slug: slugOf(repository.id),
      last_pull_at: null,
      last_push_at: nowMs,
      updated_at: nowMs,
    })
    .onConflict((on) => on.column("id").doUpdateSet({ last_push_at: nowMs }))
    .execute();
}

export async function putSettings(
  tx: Writer,
  settings: Pick<Tables["registry_repository"], "id" | "org_id" | "is_public" | "immutable_tags" | "retention">,
  nowMs: number,
): Promise<void> {
  const { is_public, immutable_tags, retention } = settings;
  await tx
    .insertInto("registry_repository")
    .values({
      ...settings,
      slug: slugOf(settings.id),
      pulls: 0,
      last_pull_at: null,
      last_push_at: null,
      updated_at: nowMs,
    })
    .onConflict((on) => on.column("id").doUpdateSet({ is_public, immutable_tags, retention, updated_at: nowMs }))
    .execute();
}

/** Adds pulls that were counted in memory. Skips manifests that were deleted in the meantime. */
export async function addPulls(
  tx: Writer,
  pulled: { repository: string; orgId: string; digest: string; pulls: number; atMs: number },
): Promise<void> {
  const { repository, orgId, digest, pulls, atMs } = pulled;
  await tx
    .updateTable("registry_manifest")
    .set({ pulls: sql`pulls + ${pulls}`, last_pull_at: atMs })
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .execute();
  await tx
    .insertInto("registry_repository")
    .values({
      ...NEW_REPOSITORY,
      id: repository,
      org_id: orgId,
      slug: slugOf(repository),
      pulls,
      last_pull_at: atMs,
      last_push_at: null,
      updated_at: atMs,
    })
    .onConflict((on) =>
      on.column("id").doUpdateSet({ pulls: sql`registry_repository.pulls + ${pulls}`, last_pull_at: atMs }),
    )
    .execute();
}

export async function isRepository(db: Reader, id: string): Promise<boolean> {
  // One with a former slug is in the trash, or its project is.
  const query = db.selectFrom("app").select("id").where("id", "=", id).where("trashed_at", "is", null);
  return (await query.where("former_slug", "is", null).executeTakeFirst()) !== undefined;
}

export interface Recount {
  readonly orgId: string;
  readonly bytes: number;
  readonly uploading: number;
  readonly countedBytes: number;
  readonly countedUploading: number;
}

/**
 * Recounts the usage of organizations in one statement, so that all numbers are of one moment. Returns the
 * organizations whose numbers differ.
 */
export async function wrongUsage(db: Reader): Promise<Recount[]> {
  const { rows } = await sql<{
    org_id: string;
    bytes: number;
    uploading: number;
    c_bytes: number;
    c_uploading: number;
  }>`
    select o.id as org_id, coalesce(u.bytes, 0) as bytes, coalesce(u.uploading, 0) as uploading,
      (select coalesce(sum(size), 0) from (select max(size) as size from registry_blob as b where b.org_id = o.id group by b.sha256) as content)
        + (select coalesce(sum(m.size), 0) from registry_manifest as m where m.org_id = o.id) as c_bytes,
      (select coalesce(sum(p.size), 0) from registry_upload_part as p where p.org_id = o.id) as c_uploading
    from organization as o left join registry_usage as u on u.org_id = o.id`.execute(db);
  return rows
    .map((row) => ({
      orgId: row.org_id,
      bytes: Number(row.bytes),
      uploading: Number(row.uploading),
      countedBytes: Number(row.c_bytes),
      countedUploading: Number(row.c_uploading),
    }))
    .filter((one) => one.bytes !== one.countedBytes || one.uploading !== one.countedUploading);
}

export interface WrongContents {
  readonly repository: string;
  readonly kept: Contents;
  readonly counted: Contents;
}

/**
 * Recounts the contents of repositories in one statement, so that all numbers are of one moment. Returns the
 * repositories whose numbers differ.
 */
export async function wrongContents(db: Reader): Promise<WrongContents[]> {
  const { rows } = await sql<Record<string, number> & { readonly repository: string }>`
    select repository, sum(tags) as tags, sum(manifests) as manifests, sum(bytes) as bytes,
      sum(kept_tags) as kept_tags, sum(kept_manifests) as kept_manifests, sum(kept_bytes) as kept_bytes
    from (
      select repository, 1 as tags, 0 as manifests, 0 as bytes, 0 as kept_tags, 0 as kept_manifests, 0 as kept_bytes from registry_tag
      union all
      select repository, 0, 1, size, 0, 0, 0 from registry_manifest
      union all
      select repository, 0, 0, size, 0, 0, 0 from registry_blob
      union all
      select repository, 0, 0, 0, tags, manifests, bytes from registry_contents) as held
    group by repository
    having sum(tags) <> sum(kept_tags) or sum(manifests) <> sum(kept_manifests) or sum(bytes) <> sum(kept_bytes)`.execute(
    db,
  );
  return rows.map((row) => ({
    repository: row.repository,
    kept: {
      tags: Number(row["kept_tags"]),
      manifests: Number(row["kept_manifests"]),
      bytes: Number(row["kept_bytes"]),
    },
    counted: { tags: Number(row["tags"]), manifests: Number(row["manifests"]), bytes: Number(row["bytes"]) },
  }));
}
