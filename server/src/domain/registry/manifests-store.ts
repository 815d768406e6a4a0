import type { Cutoff } from "#kernel/deletions.ts";
import { insertJsonRows, textValue, type MetadataStore, type Reader, type Writer } from "#stores/metadata/index.ts";
import { addToContents } from "./contents-store.ts";
import { inChunks } from "./store.ts";
import type { PackedManifest } from "./manifest.ts";
import type { ManifestRow, ReferenceRow, TagRow } from "./types.ts";

export async function manifestRow(db: Reader, repository: string, digest: string): Promise<ManifestRow | undefined> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .executeTakeFirst();
}

export async function manifestOfTag(db: Reader, repository: string, tag: string): Promise<ManifestRow | undefined> {
  return db
    .selectFrom("registry_tag as t")
    .innerJoin("registry_manifest as m", (join) =>
      join.onRef("m.repository", "=", "t.repository").onRef("m.digest", "=", "t.digest"),
    )
    .selectAll("m")
    .where("t.repository", "=", repository)
    .where("t.name", "=", tag)
    .executeTakeFirst();
}

/** Finds the same manifest in any repository of the organization. */
export async function sameManifest(db: Reader, orgId: string, digest: string): Promise<ManifestRow | undefined> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("digest", "=", digest)
    .limit(1)
    .executeTakeFirst();
}

export type ManifestKey = Pick<ManifestRow, "repository" | "digest" | "org_id">;

/** Inserts a manifest. Annotations and references are UTF-8 JSON, because there may be ten thousand references. */
export async function insertManifest(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  row: Omit<ManifestRow, "annotations">,
  { annotations, references }: Pick<PackedManifest, "annotations" | "references">,
): Promise<void> {
  const values = { ...row, annotations: textValue(dialect, annotations) };
  await tx.insertInto("registry_manifest").values(values).execute();
  addToContents(tx, row, { manifests: 1, bytes: row.size });
  await insertJsonRows(dialect, tx, {
    table: "registry_reference",
    same: { repository: row.repository, manifest: row.digest, org_id: row.org_id },
    place: "position",
    members: { target: "text", kind: "text", media_type: "text", size: "bigint", platform: "text" },
    json: references,
  });
}

export async function setPlatform(
  tx: Writer,
  { repository, digest }: ManifestKey,
  target: string,
  platform: string,
): Promise<void> {
  await tx
    .updateTable("registry_reference")
    .set({ platform })
    .where("repository", "=", repository)
    .where("manifest", "=", digest)
    .where("target", "=", target)
    .execute();
}

/**
 * Returns the first reference that does not match the repository: it is missing (`actual` null), or has another size. A
 * foreign layer may be missing.
 */
export async function wrongReference(tx: Writer, { repository, digest }: ManifestKey) {
  const references = tx
    .selectFrom("registry_reference as r")
    .where("r.repository", "=", repository)
    .where("r.manifest", "=", digest);
  const blob = references
    .where("r.kind", "!=", "manifest")
    .leftJoin("registry_blob as b", (join) =>
      join.onRef("b.repository", "=", "r.repository").onRef("b.digest", "=", "r.target"),
    )
    .where((eb) =>
      eb.or([eb.and([eb("b.size", "is", null), eb("r.kind", "!=", "foreign")]), eb("b.size", "!=", eb.ref("r.size"))]),
    )
    .select(["r.target", "r.kind", "r.size", "r.position", "b.size as actual"]);
  const child = references
    .where("r.kind", "=", "manifest")
    .leftJoin("registry_manifest as m", (join) =>
      join.onRef("m.repository", "=", "r.repository").onRef("m.digest", "=", "r.target"),
    )
    .where((eb) => eb.or([eb("m.size", "is", null), eb("m.size", "!=", eb.ref("r.size"))]))
    .select(["r.target", "r.kind", "r.size", "r.position", "m.size as actual"]);
  return (
    (await blob.orderBy("r.position").limit(1).executeTakeFirst()) ??
    (await child.orderBy("r.position").limit(1).executeTakeFirst())
  );
}

/** Removes the leases of everything that a manifest refers to. */
export async function holdContents(tx: Writer, { repository, digest }: ManifestKey): Promise<void> {
  for (const table of ["registry_blob", "registry_manifest"] as const)
    await tx
      .updateTable(table)
      .set({ lease_until: null })
      .where("repository", "=", repository)
      .where("lease_until", "is not", null)
      .where("digest", "in", (eb) =>
        eb
          .selectFrom("registry_reference as r")
          .select("r.target")
          .where("r.repository", "=", repository)
          .where("r.manifest", "=", digest)
          .where("r.kind", table === "registry_blob" ? "!=" : "=", "manifest"),
      )
      .execute();
}

/** Removes the leases of these manifests, because they are needed. */
export async function holdManifests(tx: Writer, repository: string, digests: readonly string[]): Promise<void> {
  for (const chunk of inChunks(digests.toSorted())) {
    await tx
      .updateTable("registry_manifest")
      .set({ lease_until: null })
      .where("repository", "=", repository)
      .where("digest", "in", chunk)
      .where("lease_until", "is not", null)
      .execute();
  }
}

/** Removes the leases of the manifests that refer to a manifest. */
export async function holdReferrers(tx: Writer, repository: string, subject: string): Promise<void> {
  await tx
    .updateTable("registry_manifest")
    .set({ lease_until: null })
    .where("repository", "=", repository)
    .where("subject", "=", subject)
    .where("lease_until", "is not", null)
    .execute();
}

/** Gives leases to those of these manifests that have no tag and are in no index. */
export async function releaseManifests(
  tx: Writer,
  repository: string,
  digests: readonly string[],
  untilMs: number,
): Promise<void> {
  for (const chunk of inChunks(digests.toSorted())) {
    await tx
      .updateTable("registry_manifest")
      .set({ lease_until: untilMs })
      .where("repository", "=", repository)
      .where("digest", "in", chunk)
      .where("digest", "not in", (eb) =>
        eb.selectFrom("registry_tag").select("digest").where("registry_tag.repository", "=", repository),
      )
      .where("digest", "not in", (eb) =>
        eb
          .selectFrom("registry_reference")
          .select("target")
          .where("registry_reference.repository", "=", repository)
          .where("registry_reference.target", "in", chunk),
      )
      .execute();
  }
}

export async function referrerDigests(db: Reader, repository: string, subject: string): Promise<string[]> {
  const rows = await db
    .selectFrom("registry_manifest")
    .select("digest")
    .where("repository", "=", repository)
    .where("subject", "=", subject)
    .execute();
  return rows.map(({ digest }) => digest);
}

/** Returns the referrers of a manifest, by digest. */
export async function referrerRows(
  db: Reader,
  repository: string,
  subject: string,
  page: { readonly artifactType: string | undefined; readonly after: string; readonly limit: number },
): Promise<ManifestRow[]> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("repository", "=", repository)
    .where("subject", "=", subject)
    .where("digest", ">", page.after)
    .$if(page.artifactType !== undefined, (query) => query.where("artifact_type", "=", page.artifactType ?? ""))
    .orderBy("digest")
    .limit(page.limit)
    .execute();
}

/** Returns references in the order of the manifest. */
export async function referencesOf(db: Reader, repository: string, manifest: string): Promise<ReferenceRow[]> {
  return db
    .selectFrom("registry_reference")
    .selectAll()
    .where("repository", "=", repository)
    .where("manifest", "=", manifest)
    .orderBy("position")
    .execute();
}

export async function deleteManifestRow(
  tx: Writer,
  repository: string,
  digest: string,
): Promise<ManifestRow | undefined> {
  await tx
    .deleteFrom("registry_reference")
    .where("repository", "=", repository)
    .where("manifest", "=", digest)
    .execute();
  const row = await tx
    .deleteFrom("registry_manifest")
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) addToContents(tx, row, { manifests: -1, bytes: -row.size });
  return row;
}

export async function tagRow(db: Reader, repository: string, name: string): Promise<TagRow | undefined> {
  return db
    .selectFrom("registry_tag")
    .selectAll()
    .where("repository", "=", repository)
    .where("name", "=", name)
    .executeTakeFirst();
}

export async function tagsOfManifest(db: Reader, repository: string, digest: string): Promise<TagRow[]> {
  return db
    .selectFrom("registry_tag")
    .selectAll()
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .orderBy("name")
    .execute();
}

/** Returns the names of tags, in the order of their bytes. */
export async function tagNames(db: Reader, repository: string, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("registry_tag")
    .select("name")
    .where("repository", "=", repository)
    .where("name", ">", after)
    .orderBy("name")
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** If a manifest has no tag, stores since when. */
export async function noteUntagged(tx: Writer, repository: string, digest: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("registry_manifest")
    .set({ untagged_at: nowMs })
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .where("digest", "not in", (eb) =>
      eb.selectFrom("registry_tag").select("digest").where("registry_tag.repository", "=", repository),
    )
    .execute();
}

/** @param before the current tag; undefined: the tag is new */
export async function putTagRow(tx: Writer, row: TagRow, before: TagRow | undefined): Promise<void> {
  const { digest, updated_at, created_by } = row;
  await tx
    .updateTable("registry_manifest")
    .set({ untagged_at: null })
    .where("repository", "=", row.repository)
    .where("digest", "=", digest)
    .execute();
  await tx
    .insertInto("registry_tag")
    .values(row)
    .onConflict((on) => on.columns(["repository", "name"]).doUpdateSet({ digest, updated_at, created_by }))
    .execute();
  if (before === undefined) addToContents(tx, row, { tags: 1 });
}

export async function deleteTagRow(tx: Writer, repository: string, name: string): Promise<TagRow | undefined> {
  const row = await tx
    .deleteFrom("registry_tag")
    .where("repository", "=", repository)
    .where("name", "=", name)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) addToContents(tx, row, { tags: -1 });
  return row;
}

export async function hasTag(db: Reader, repository: string, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom("registry_tag")
    .select("name")
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns manifests with expired leases, oldest first. */
export async function expiredManifests(db: Reader, nowMs: Cutoff, limit: number): Promise<ManifestRow[]> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("lease_until", "<", nowMs)
    .orderBy("lease_until")
    .limit(limit)
    .execute();
}
