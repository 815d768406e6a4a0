import type { Reader } from "#stores/metadata/index.ts";
import type { ManifestRow, TagRow } from "./types.ts";

/** A tag, with the last pull of its manifest. */
export type TaggedRow = TagRow & { readonly last_pull_at: number | null };

/** Returns all tags of a repository, last moved first. */
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
 * Returns untagged manifests, oldest first: those that lost their last tag before a time, were not pulled since, and
 * have no index and no existing subject.
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

/** Returns the ids of repositories with rules. */
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
