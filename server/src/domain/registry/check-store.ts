import { sql } from "kysely";
import type { Reader, Tables } from "#stores/metadata/index.ts";
import type { BlobRow, ManifestRow, TagRow } from "./types.ts";

/** A place in a table with a key of a repository and a digest or a name. */
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

/** Tags whose manifest the repository has not. */
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

export interface Recount {
  readonly orgId: string;
  readonly bytes: number;
  readonly uploading: number;
  readonly countedBytes: number;
  readonly countedUploading: number;
}

/** What organizations have, counted anew, all in one statement and so at one moment: those whose numbers differ. */
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

/** What is needed and has a lease would be lost when that ends. */
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
