import { randomBytes } from "node:crypto";
import type { Writer } from "#stores/metadata/index.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { NULL_VERSION, type Bucket, type VersioningState, type WriteConditions } from "../types/index.ts";
import { requireConditions } from "./conditions.ts";
import { keyBytes, type HistoryRow, type ObjectRow } from "./detail.ts";
import { requireObjectQuota } from "./quota.ts";
import {
  addUsage,
  currentObject,
  deleteCurrent,
  deleteHistory,
  historyVersion,
  insertHistory,
  keyForWrite,
  newestHistory,
  putCurrent,
  retireCurrent,
  type CurrentRow,
} from "./store.ts";

export type WriteDeps = Pick<S3Deps, "metadata" | "objects" | "clock" | "settings" | "jobs">;

/** The columns of a new version that the caller gives. The others follow from its position. */
export type NewVersion = Omit<ObjectRow, "seq" | "version_id" | "bucket" | "org_id" | "modified_at">;

/** The part of a bucket that a write needs. */
type BucketPlace = Pick<Bucket, "id" | "orgId" | "name"> & { readonly projectId: string | null };

/** The state that a write depends on. The caller holds the key's lock. */
export interface WriteState {
  readonly versioning: VersioningState;
  readonly current: CurrentRow | undefined;
  /** The newest version, marker or object; undefined when there is none. */
  readonly newest: Pick<HistoryRow, "seq" | "etag" | "size" | "modified_at"> | undefined;
}

/** Locks a key until the end of the transaction. @throws S3Error `NoSuchBucket` */
export async function stateForWrite(
  deps: WriteDeps,
  tx: Writer,
  bucket: BucketPlace,
  key: Uint8Array,
): Promise<WriteState> {
  const { metadata } = deps;
  await metadata.lock(tx, `s3:${bucket.id}:${Buffer.from(key).toString("latin1")}`);
  const state = await keyForWrite(metadata.dialect, tx, bucket.id, key);
  if (state === undefined) throw new S3Error("NoSuchBucket", undefined, { fields: { BucketName: bucket.name } });
  const { versioning, current } = state;
  if (versioning === "unversioned" || current !== undefined) return { versioning, current, newest: current };
  return { versioning, current, newest: await newestHistory(tx, bucket.id, key) };
}

/** The options of a new version. */
export interface WriteOptions {
  /** Content to link; undefined: the transaction has linked it. */
  readonly content?: StagedBlob | string;
  readonly conditions?: WriteConditions | undefined;
}

/** Writes a version, which becomes the current one. */
export async function writeVersion(
  deps: WriteDeps,
  tx: Writer,
  bucket: BucketPlace,
  version: NewVersion,
  { content, conditions }: WriteOptions,
): Promise<ObjectRow> {
  const { key } = version;
  const state = await stateForWrite(deps, tx, bucket, key);
  requireConditions(state.current, conditions, Buffer.from(key).toString());
  await requireObjectQuota(deps, tx, bucket, version.size);
  if (content !== undefined) await deps.objects.link(tx, bucket.orgId, content);
  const row: ObjectRow = { ...version, ...placeOf(deps, bucket, state) };
  const freed = await retireCurrentVersion(deps, tx, bucket, state, key);
  putCurrent(tx, row);
  addUsage(
    deps.metadata.dialect,
    tx,
    { org_id: bucket.orgId, bucket: bucket.id },
    {
      objects: 1 - freed.objects,
      bytes: row.size - freed.bytes,
    },
  );
  return row;
}

/**
 * Adds a delete marker. In a bucket without versions, deletes the object, and returns undefined because there is no
 * marker.
 */
export async function markDeleted(
  deps: WriteDeps,
  tx: Writer,
  bucket: Bucket,
  options: {
    readonly key: string;
    readonly owner: string;
    readonly conditions: WriteConditions | undefined;
  },
): Promise<HistoryRow | undefined> {
  const key = keyBytes(options.key);
  const state = await stateForWrite(deps, tx, bucket, key);
  requireDeletable(state, options.conditions, options.key);
  // With conditions, the deletion of an absent object does nothing, so it adds no marker.
  if (state.newest === undefined && Object.keys(options.conditions ?? {}).length > 0) return undefined;
  if (state.newest === undefined && state.versioning === "unversioned") return undefined;
  const freed = await retireCurrentVersion(deps, tx, bucket, state, key, { isGone: true });
  addUsage(
    deps.metadata.dialect,
    tx,
    { org_id: bucket.orgId, bucket: bucket.id },
    {
      objects: -freed.objects,
      bytes: -freed.bytes,
    },
  );
  if (state.versioning === "unversioned") return undefined;
  const none = { blob_id: null, size: 0, etag: "", tags: "", detail: "{}", parts: null };
  const marker = { ...none, key, owner: options.owner, ...placeOf(deps, bucket, state) };
  insertHistory(tx, marker);
  return marker;
}

/**
 * Checks the conditions of a deletion. Deleting an absent object succeeds, so only an existing version is compared. It
 * may be a delete marker.
 * @throws S3Error `PreconditionFailed`
 */
export function requireDeletable(
  { newest }: Pick<WriteState, "newest">,
  conditions: WriteConditions | undefined,
  key: string,
): void {
  if (newest !== undefined) requireConditions(newest, conditions, key);
}

/** Deletes one version for good. The newest remaining version becomes the current one. */
export async function removeVersion(
  deps: WriteDeps,
  tx: Writer,
  bucket: Bucket,
  found: { readonly table: "s3_object" | "s3_history"; readonly row: HistoryRow },
): Promise<void> {
  const { table, row } = found;
  if (table === "s3_object") deleteCurrent(tx, row.bucket, row.key);
  else deleteHistory(tx, row);
  await promote(tx, row);
  const place = { org_id: row.org_id, bucket: bucket.id };
  const isMarker = row.blob_id === null;
  addUsage(deps.metadata.dialect, tx, place, { objects: isMarker ? 0 : -1, bytes: -row.size });
  if (row.blob_id !== null) await deps.objects.unlink(tx, row.org_id, [row.blob_id]);
}

async function promote(tx: Writer, { bucket, key }: Pick<HistoryRow, "bucket" | "key">): Promise<void> {
  if ((await currentObject(tx, bucket, key)) !== undefined) return;
  const newest = await newestHistory(tx, bucket, key);
  if (newest === undefined || newest.blob_id === null) return;
  deleteHistory(tx, newest);
  putCurrent(tx, { ...newest, blob_id: newest.blob_id });
}

interface Freed {
  readonly objects: number;
  readonly bytes: number;
}

/** Moves the current version to the history, or deletes it when the new one replaces it (the null version). */
async function retireCurrentVersion(
  deps: WriteDeps,
  tx: Writer,
  bucket: BucketPlace,
  { versioning, current }: WriteState,
  key: Uint8Array,
  { isGone = false } = {},
): Promise<Freed> {
  if (versioning === "enabled") {
    if (current !== undefined) retireCurrent(tx, bucket.id, key);
    return { objects: 0, bytes: 0 };
  }
  const isReplaced = current?.version_id === NULL_VERSION;
  if (current !== undefined && !isReplaced) retireCurrent(tx, bucket.id, key);
  if (isReplaced && isGone) deleteCurrent(tx, bucket.id, key);
  const old =
    isReplaced || versioning === "unversioned" ? current : await historyVersion(tx, bucket.id, key, NULL_VERSION);
  if (old === undefined) return { objects: 0, bytes: 0 };
  if (old !== current) deleteHistory(tx, { bucket: bucket.id, key, seq: old.seq });
  if (old.blob_id === null) return { objects: 0, bytes: 0 };
  await deps.objects.unlink(tx, bucket.orgId, [old.blob_id]);
  return { objects: 1, bytes: old.size };
}

/** Later versions have smaller `seq` numbers, so that the newest comes first, even if the clock stops or goes back. */
function placeOf(
  deps: WriteDeps,
  bucket: BucketPlace,
  { versioning, newest }: WriteState,
): Pick<ObjectRow, "seq" | "version_id" | "bucket" | "org_id" | "modified_at"> {
  const nowMs = deps.clock.nowMs();
  return {
    bucket: bucket.id,
    org_id: bucket.orgId,
    seq: Math.min(-nowMs * 1000, (newest?.seq ?? 0) - 1),
    version_id: versioning === "enabled" ? randomBytes(24).toString("base64url") : NULL_VERSION,
    modified_at: nowMs,
  };
}
