import type { Reader } from "#stores/metadata/index.ts";
import type { ManifestRow, TagRow } from "./types.ts";

/** A tag, and when its manifest was last pulled. */
export type TaggedRow = TagRow & { readonly last_pull_at: number | null };

/** All tags of a repository, those first that were moved last. */
export async function taggedRows(db: Reader, repository: string): Promise<TaggedRow[]> {
  return db
    .selectFrom("registry_tag as t")
    .innerJoin("registry_manifest as m", (join) =>
      join.onRef("m.repository", "=", "t.repository").onRef("m.digest", "=", "t.digest"),
    )
    .selectAll("t")
    .select("m.last_pull_at")
    .where("t.repository", "=", repository)
    .orderBy("t.updated_at", "desc")
    .orderBy("t.name", "desc")
    .execute();
}

/**
 * Manifests that lost their last tag before a time and were not pulled since, the oldest first: those in no index, and
 * without an existing subject.
 */
export async function untaggedRows(
  db: Reader,
  repository: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<ManifestRow[]> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("repository", "=", repository)
    .where("untagged_at", "<", before)
    .where((eb) => eb.or([eb("last_pull_at", "is", null), eb("last_pull_at", "<", before)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("registry_reference as r")
            .select("r.manifest")
            .where("r.repository", "=", repository)
            .whereRef("r.target", "=", "registry_manifest.digest"),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("registry_manifest as s")
            .select("s.digest")
            .where("s.repository", "=", repository)
            .whereRef("s.digest", "=", "registry_manifest.subject"),
        ),
      ),
    )
    .orderBy("untagged_at")
    .limit(limit)
    .execute();
}

/** Repositories that have rules, by id. */
export async function repositoriesWithRules(
  db: Reader,
  after: string,
  limit: number,
): Promise<{ id: string; retention: string | null }[]> {
  return db
    .selectFrom("registry_repository")
    .select(["id", "retention"])
    .where("retention", "is not", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}
