import { appendAudit } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOf } from "../audit.ts";
import { emit } from "../events/emit.ts";
import type { Bucket, Deleted, DeleteObject, S3Caller } from "../types/index.ts";
import { requireConditions } from "./conditions.ts";
import { detailOf, keyBytes, ownerColumn } from "./detail.ts";
import { locate } from "./find.ts";
import { requireUnlocked } from "./lock.ts";
import { requireKey, writerOf } from "./put.ts";
import {
  markDeleted,
  removeVersion,
  requireDeletable,
  stateForWrite,
  type WriteDeps,
  type WriteState,
} from "./version.ts";

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

/** Objects of one transaction: short enough that others get their turn. */
const BATCH = 100;

export async function deleteObjects(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  objects: readonly DeleteObject[],
): Promise<(Deleted | { readonly error: unknown })[]> {
  const results: (Deleted | { readonly error: unknown })[] = [];
  for (let at = 0; at < objects.length; at += BATCH) {
    results.push(...(await deleteBatch(deps, caller, bucket, objects.slice(at, at + BATCH))));
  }
  return results;
}

/**
 * What is refused is refused before anything of it is written, so the others of its transaction stand. All is read before anything is written: from the
 * first change on each read of a transaction waits for the writer.
 */
async function deleteBatch(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  objects: readonly DeleteObject[],
): Promise<(Deleted | { readonly error: unknown })[]> {
  // Locks of keys are taken in one order, so that two batches never wait for each other.
  const order = objects
    .map((object, index) => ({ object, index }))
    .toSorted((a, b) => (a.object.key < b.object.key ? -1 : a.object.key > b.object.key ? 1 : 0));
  return deps.metadata.write(async (tx) => {
    const results: (Deleted | { readonly error: unknown })[] = [];
    const looks = new Map<DeleteObject, Look>();
    const keys = new Set<string>();
    for (const { object } of order) {
      // Of a key that comes twice, the second comes to what the first leaves.
      if (!keys.has(object.key)) looks.set(object, await lookAt(deps, tx, bucket, object));
      keys.add(object.key);
    }
    for (const { object, index } of order) {
      const look = looks.get(object) ?? (await lookAt(deps, tx, bucket, object));
      results[index] = "error" in look ? look : await deleteIn(deps, tx, caller, bucket, { ...object, ...look });
    }
    await auditDeletions(
      deps,
      tx,
      caller,
      bucket,
      results.filter((result) => "key" in result),
    );
    return results;
  });
}

/** What was there, or why it may not be deleted. */
type Look = { readonly state: WriteState | undefined } | { readonly error: unknown };

async function lookAt(deps: WriteDeps, tx: Writer, bucket: Bucket, object: DeleteObject): Promise<Look> {
  try {
    requireKey(object.key);
    const state = await stateForWrite(deps, tx, bucket, keyBytes(object.key));
    if (object.versionId === undefined) {
      requireDeletable(state, object.conditions, object.key);
      return { state };
    }
    const found = await locate(tx, bucket, object);
    if (found !== undefined) {
      requireConditions(found.row, object.conditions, object.key);
      requireUnlocked(detailOf(found.row), deps.clock, object.bypassGovernance === true);
    }
    return { state: undefined };
  } catch (error) {
    if (error instanceof Error && error.name === "S3Error") return { error };
    throw error;
  }
}

/** In a transaction of the caller's. */
export async function deleteIn(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  object: DeleteObject & { readonly state?: WriteState | undefined },
): Promise<Deleted> {
  const { key, versionId, conditions, state } = object;
  if (versionId === undefined) {
    const owner = ownerColumn(writerOf(caller, bucket), bucket.owner);
    const marker = await markDeleted(deps, tx, bucket, { key, owner, conditions, state });
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

const KEYS_AUDITED = 100;

async function auditDeletions(
  deps: WriteDeps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  deleted: readonly Deleted[],
): Promise<void> {
  if (deleted.length === 0) return;
  const objects = deleted
    .slice(0, KEYS_AUDITED)
    .map(({ key, versionId }) => (versionId === null ? { key } : { key, version_id: versionId }));
  await appendAudit(deps, tx, {
    ...auditOf(caller, bucket),
    action: "object.delete",
    detail: { bucket: bucket.name, count: deleted.length, objects },
  });
}
