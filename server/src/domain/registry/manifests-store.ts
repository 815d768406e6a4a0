import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { inChunks } from "./store.ts";
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

/** The same manifest in whichever repository of the organization. */
export async function sameManifest(db: Reader, orgId: string, digest: string): Promise<ManifestRow | undefined> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("digest", "=", digest)
    .limit(1)
    .executeTakeFirst();
}

export async function insertManifest(tx: Writer, row: ManifestRow, references: readonly ReferenceRow[]): Promise<void> {
  await tx.insertInto("registry_manifest").values(row).execute();
  for (const chunk of inChunks(references)) await tx.insertInto("registry_reference").values(chunk).execute();
}

/** Sizes of those manifests that the repository has. */
export async function manifestSizes(
  db: Reader,
  repository: string,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const chunk of inChunks(digests)) {
    const query = db.selectFrom("registry_manifest").select(["digest", "size"]).where("repository", "=", repository);
    for (const row of await query.where("digest", "in", chunk).execute()) sizes.set(row.digest, row.size);
  }
  return sizes;
}

/** Takes the leases of these manifests away: something needs them. */
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

/** Takes the leases of what refers to a manifest away. */
export async function holdReferrers(tx: Writer, repository: string, subject: string): Promise<void> {
  await tx
    .updateTable("registry_manifest")
    .set({ lease_until: null })
    .where("repository", "=", repository)
    .where("subject", "=", subject)
    .where("lease_until", "is not", null)
    .execute();
}

/** Gives leases to these manifests, as far as they have no tag and are in no index. */
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

/** What refers to a manifest, by digest. */
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

/** In the order of the manifest. */
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
  return tx
    .deleteFrom("registry_manifest")
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .returningAll()
    .executeTakeFirst();
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

/** Names in the order of their bytes. */
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

/** Notes since when a manifest has no tag, if it has none. */
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

export async function putTagRow(tx: Writer, row: TagRow): Promise<void> {
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
}

export async function deleteTagRow(tx: Writer, repository: string, name: string): Promise<TagRow | undefined> {
  return tx
    .deleteFrom("registry_tag")
    .where("repository", "=", repository)
    .where("name", "=", name)
    .returningAll()
    .executeTakeFirst();
}

export async function insertEvent(tx: Writer, row: Tables["event_outbox"]): Promise<void> {
  await tx.insertInto("event_outbox").values(row).execute();
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

/** Manifests whose lease is over, the oldest first. */
export async function expiredManifests(db: Reader, nowMs: Cutoff, limit: number): Promise<ManifestRow[]> {
  return db
    .selectFrom("registry_manifest")
    .selectAll()
    .where("lease_until", "<", nowMs)
    .orderBy("lease_until")
    .limit(limit)
    .execute();
}
