import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { addToContents } from "./contents-store.ts";
import { inChunks } from "./store.ts";
import type { BlobRow } from "./types.ts";

export async function blobRow(db: Reader, repository: string, digest: string): Promise<BlobRow | undefined> {
  return db
    .selectFrom("registry_blob")
    .selectAll()
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .executeTakeFirst();
}

/** Finds equal content in any repository: first in the organization, then in others. */
export async function sameContent(
  db: Reader,
  orgId: string,
  sha256: string,
): Promise<Pick<BlobRow, "org_id" | "blob_id"> | undefined> {
  const columns = ["org_id", "blob_id"] as const;
  const own = db
    .selectFrom("registry_blob")
    .select(columns)
    .where("org_id", "=", orgId)
    .where("sha256", "=", sha256)
    .limit(1);
  const any = db.selectFrom("registry_blob").select(columns).where("sha256", "=", sha256).limit(1);
  const [first, second] = await db
    .selectFrom(own.as("own"))
    .selectAll()
    .unionAll(db.selectFrom(any.as("any")).selectAll())
    .execute();
  return [first, second].find((row) => row?.org_id === orgId) ?? first;
}

export async function insertBlob(tx: Writer, row: BlobRow): Promise<void> {
  await tx.insertInto("registry_blob").values(row).execute();
  addToContents(tx, row, { bytes: row.size });
}

/**
 * Extends the lease of an unneeded blob, or removes it (null). A needed blob has no lease. Returns false if no blob
 * with a lease exists.
 */
export async function renewLease(
  tx: Writer,
  repository: string,
  digest: string,
  untilMs: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("registry_blob")
    .set({ lease_until: untilMs })
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .where("lease_until", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) === 1;
}

/** Gives a lease to each of these blobs that no manifest of the repository needs any more. */
export async function releaseBlobs(
  tx: Writer,
  repository: string,
  digests: readonly string[],
  untilMs: number,
): Promise<void> {
  for (const chunk of inChunks(digests.toSorted())) {
    await tx
      .updateTable("registry_blob")
      .set({ lease_until: untilMs })
      .where("repository", "=", repository)
      .where("digest", "in", chunk)
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

export async function isNeeded(db: Reader, repository: string, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom("registry_reference")
    .select("manifest")
    .where("repository", "=", repository)
    .where("target", "=", digest)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteBlobRow(tx: Writer, repository: string, digest: string): Promise<BlobRow | undefined> {
  const row = await tx
    .deleteFrom("registry_blob")
    .where("repository", "=", repository)
    .where("digest", "=", digest)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) addToContents(tx, row, { bytes: -row.size });
  return row;
}

/** Returns blobs with expired leases, oldest first. */
export async function expiredBlobs(db: Reader, nowMs: Cutoff, limit: number): Promise<BlobRow[]> {
  return db
    .selectFrom("registry_blob")
    .selectAll()
    .where("lease_until", "<", nowMs)
    .orderBy("lease_until")
    .limit(limit)
    .execute();
}
