import { appendAudit } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOf } from "../audit.ts";
import { S3Error } from "../errors.ts";
import { emit } from "../events/emit.ts";
import type { Bucket, Deleted, DeleteObject, S3Caller } from "../types/index.ts";
import { requireConditions } from "./conditions.ts";
import { detailOf, keyBytes, ownerColumn } from "./detail.ts";
import { locate } from "./find.ts";
import { requireUnlocked } from "./lock.ts";
import { requireKey, writerOf } from "./put.ts";
import { deleteSet, type Outcome } from "./deletions/delete-set.ts";
import { markDeleted, removeVersion, stateForWrite, type WriteDeps } from "./version.ts";

export async function deleteObject(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  object: DeleteObject,
): Promise<Deleted> {
  requireKey(object.key);
  return deps.metadata.write(async (tx) => {
    const deleted = await deleteIn(deps, tx, caller, bucket, object);
    await auditDeletions(deps, tx, caller, bucket, [deleted]);
    return deleted;
  });
}

/** Objects in one transaction: few, so that others don't wait long. */
const BATCH = 200;

export async function deleteObjects(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  objects: readonly DeleteObject[],
): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (let at = 0; at < objects.length; at += BATCH) {
    results.push(...(await deleteBatch(deps, caller, bucket, objects.slice(at, at + BATCH))));
  }
  return results;
}

/** Deletes objects in one transaction. A refused deletion has written nothing, so the others stay valid. */
async function deleteBatch(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  objects: readonly DeleteObject[],
): Promise<Outcome[]> {
  // Sorted, so that two batches lock keys in the same order and can't deadlock.
  const order = objects
    .map((object, index) => ({ object, index }))
    .toSorted((a, b) => (a.object.key < b.object.key ? -1 : a.object.key > b.object.key ? 1 : 0));
  return deps.metadata.write(async (tx) => {
    const ordered = order.map(({ object }) => object);
    const decided = await deleteSet(deps, tx, caller, bucket, ordered);
    const results: Outcome[] = [];
    for (const [at, { object, index }] of order.entries())
      results[index] = decided[at] ?? (await deleteOne(deps, tx, caller, bucket, object));
    const deleted = results.filter((result) => "key" in result);
    for (let at = 0; at < deleted.length; at += KEYS_AUDITED)
      await auditDeletions(deps, tx, caller, bucket, deleted.slice(at, at + KEYS_AUDITED));
    return results;
  });
}

/** Deletes one object. A refusal does not affect the others of the transaction. */
async function deleteOne(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  object: DeleteObject,
): Promise<Outcome> {
  try {
    return await deleteIn(deps, tx, caller, bucket, object);
  } catch (error) {
    if (error instanceof S3Error) return { error };
    throw error;
  }
}

/** Deletes one object in the caller's transaction. It refuses before it writes anything. */
async function deleteIn(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  object: DeleteObject,
): Promise<Deleted> {
  const { key, versionId, conditions } = object;
  if (versionId === undefined) {
    const owner = ownerColumn(writerOf(caller, bucket), bucket.owner);
    const marker = await markDeleted(deps, tx, bucket, { key, owner, conditions });
    const name = marker === undefined ? "ObjectRemoved:Delete" : "ObjectRemoved:DeleteMarkerCreated";
    await emit(deps, tx, bucket, { name, key, versionId: marker?.version_id ?? null, caller });
    return { key, versionId: null, deleteMarker: marker !== undefined, markerVersionId: marker?.version_id ?? null };
  }
  await stateForWrite(deps, tx, bucket, keyBytes(key));
  const found = await locate(tx, bucket, { key, versionId });
  if (found === undefined) return { key, versionId, deleteMarker: false, markerVersionId: null };
  requireConditions(found.row, conditions, key);
  requireUnlocked(detailOf(found.row), deps.clock, object.bypassGovernance === true);
  await removeVersion(deps, tx, bucket, found);
  await emit(deps, tx, bucket, { name: "ObjectRemoved:Delete", key, versionId, caller });
  const isMarker = found.row.blob_id === null;
  return { key, versionId, deleteMarker: isMarker, markerVersionId: isMarker ? versionId : null };
}

/** The most keys in one audit entry. */
const KEYS_AUDITED = 100;

async function auditDeletions(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  deleted: readonly Deleted[],
): Promise<void> {
  const objects = deleted.map(({ key, versionId }) => (versionId === null ? { key } : { key, version_id: versionId }));
  await appendAudit(deps, tx, {
    ...auditOf(caller, bucket),
    action: "object.delete",
    detail: { bucket: bucket.name, count: deleted.length, objects },
  });
}
