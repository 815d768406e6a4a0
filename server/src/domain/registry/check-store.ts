import type { Reader, Tables } from "#stores/metadata/index.ts";
import type { BlobRow, ManifestRow, TagRow } from "./types.ts";

/** A key in a table: a repository, and a digest or a name. */
export interface Place {
  readonly repository: string;
  readonly key: string;
}

const PAGE = 200;
const BEGIN: Place = { repository: "", key: "" };

export async function manifestPage(db: Reader, after: Place = BEGIN): Promise<ManifestRow[]> {
  const query = db.selectFrom("registry_manifest").selectAll();
  return query
    .where("repository", ">=", after.repository)
    .where((eb) => eb.or([eb("repository", ">", after.repository), eb("digest", ">", after.key)]))
    .orderBy("repository")
    .orderBy("digest")
    .limit(PAGE)
    .execute();
}

export async function blobPage(db: Reader, after: Place = BEGIN): Promise<BlobRow[]> {
  const query = db.selectFrom("registry_blob").selectAll();
  return query
    .where("repository", ">=", after.repository)
    .where((eb) => eb.or([eb("repository", ">", after.repository), eb("digest", ">", after.key)]))
    .orderBy("repository")
    .orderBy("digest")
    .limit(PAGE)
    .execute();
}

/** Returns tags whose manifest is not in the repository. */
export async function danglingTags(db: Reader): Promise<TagRow[]> {
  return db
    .selectFrom("registry_tag as t")
    .leftJoin("registry_manifest as m", (join) =>
      join.onRef("m.repository", "=", "t.repository").onRef("m.digest", "=", "t.digest"),
    )
    .selectAll("t")
    .where("m.digest", "is", null)
    .execute();
}

/** Returns needed blobs with a lease. They would be lost when the lease expires. */
export async function leasedAndNeeded(db: Reader): Promise<Pick<Tables["registry_blob"], "repository" | "digest">[]> {
  return db
    .selectFrom("registry_blob as b")
    .innerJoin("registry_reference as r", (join) =>
      join.onRef("r.repository", "=", "b.repository").onRef("r.target", "=", "b.digest"),
    )
    .select(["b.repository", "b.digest"])
    .distinct()
    .where("b.lease_until", "is not", null)
    .execute();
}
