import type { Reader } from "#stores/metadata/index.ts";
import { S3Error } from "../errors.ts";
import type { Acl, Bucket, ObjectName, ObjectVersion, Tags } from "../types/index.ts";
import { detailOf, keyBytes, ownerOf, tagsOf, versionOf, type HistoryRow, type ObjectRow } from "./detail.ts";
import { currentObject, historyVersion, newestHistory } from "./store.ts";

/** A version, and the table that it was found in. */
export type Located =
  | { readonly table: "s3_object"; readonly row: ObjectRow; readonly isLatest: true }
  | { readonly table: "s3_history"; readonly row: HistoryRow; readonly isLatest: boolean };

/** Finds the named version, or the current one, which may be a delete marker. Undefined when there is none. */
export async function locate(
  db: Reader,
  bucket: Pick<Bucket, "id">,
  { key, versionId }: ObjectName,
): Promise<Located | undefined> {
  const bytes = keyBytes(key);
  const current = await currentObject(db, bucket.id, bytes);
  if (current !== undefined && (versionId === undefined || current.version_id === versionId))
    return { table: "s3_object", row: current, isLatest: true };
  const newest = current === undefined ? await newestHistory(db, bucket.id, bytes) : undefined;
  const row = versionId === undefined ? newest : await historyVersion(db, bucket.id, bytes, versionId);
  if (row !== undefined) return { table: "s3_history", row, isLatest: row.seq === newest?.seq };
  // The version may have become the current one between the two statements.
  const again = await currentObject(db, bucket.id, bytes);
  const isThere = again !== undefined && (versionId === undefined || again.version_id === versionId);
  return isThere ? { table: "s3_object", row: again, isLatest: true } : undefined;
}

export interface FoundVersion {
  readonly tags: Tags;
  readonly acl: Acl | null;
  readonly ownerId: string;
}

/** Returns the facts about a version for the permission check; undefined when the version is not an object. */
export async function findVersion(db: Reader, bucket: Bucket, name: ObjectName): Promise<FoundVersion | undefined> {
  const found = await locate(db, bucket, name);
  if (found === undefined || found.row.blob_id === null) return undefined;
  const { row } = found;
  return { tags: tagsOf(row), acl: detailOf(row).acl ?? null, ownerId: ownerOf(row.owner, bucket.owner).id };
}

/** @throws S3Error `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` */
export async function requireVersion(
  db: Reader,
  bucket: Pick<Bucket, "id">,
  name: ObjectName,
): Promise<Located & { readonly row: ObjectRow }> {
  const found = await locate(db, bucket, name);
  const fields = { Key: name.key };
  if (found === undefined) {
    if (name.versionId === undefined) throw new S3Error("NoSuchKey", undefined, { fields, marker: null });
    throw new S3Error("NoSuchVersion", undefined, { fields: { ...fields, VersionId: name.versionId } });
  }
  if (found.row.blob_id !== null) return found as Located & { readonly row: ObjectRow };
  const versionId = found.row.version_id;
  if (name.versionId === undefined) throw new S3Error("NoSuchKey", undefined, { fields, marker: { versionId } });
  throw new S3Error("MethodNotAllowed", "The version is a delete marker.", {
    fields: { ...fields, Method: "GET", ResourceType: "DeleteMarker" },
    marker: { versionId, modifiedAtMs: found.row.modified_at },
  });
}

export async function head(db: Reader, bucket: Bucket, name: ObjectName): Promise<ObjectVersion> {
  const { row, isLatest } = await requireVersion(db, bucket, name);
  return versionOf(row, bucket, isLatest);
}
