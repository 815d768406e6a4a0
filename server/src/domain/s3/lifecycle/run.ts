import { appendAudit } from "#domain/audit/index.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { bucketFrom, type BucketDeps } from "../buckets/buckets.ts";
import { bucketById } from "../buckets/store.ts";
import { emit } from "../events/emit.ts";
import { rangeOf, type KeyRange } from "../listings/range.ts";
import { detailOf, keyText, tagsOf } from "../objects/detail.ts";
import { locate } from "../objects/find.ts";
import { isLocked } from "../objects/lock.ts";
import { markDeleted, removeVersion, stateForWrite } from "../objects/version.ts";
import { dropUpload } from "../uploads/abort.ts";
import { uploadById } from "../uploads/store.ts";
import type { Bucket, LifecycleRule } from "../types/index.ts";
import { dueAfter, expiryBy, matchesFilter, versionsPast, type Calendar, type Versioned } from "./rules.ts";
import { keysWithHistory, objectsBefore, uploadsBefore, versionsOfKeys, type LifecycleRow } from "./store.ts";

const PAGE = 500;
/** Keys in one transaction: few, so that requests don't wait long. */
const BATCH = 100;

/** The actor of lifecycle rules. */
const BY_RULE = { actor: { kind: "system", id: "s3-lifecycle" }, result: "success" } as const;

/** Applies a bucket's rules. Returns false when the bucket has none, or was deleted. */
export async function runLifecycle(deps: TimedBucketDeps, bucketId: string, signal: AbortSignal): Promise<boolean> {
  const row = await bucketById(deps.metadata.read, bucketId);
  const bucket = row === undefined ? undefined : bucketFrom(deps, row);
  if (bucket?.config.lifecycle === undefined) return false;
  for (const rule of bucket.config.lifecycle) {
    const nowMs = deps.clock.deletionTime("s3_lifecycle");
    if (!rule.enabled || nowMs === null) continue;
    const run = { bucket, rule, calendar: { nowMs, dayMs: deps.settings.lifecycleDayMs }, signal };
    await expireObjects(deps, run);
    await expireVersions(deps, run);
    await abortUploads(deps, run);
  }
  return true;
}

export type TimedBucketDeps = BucketDeps & { readonly clock: GuardedClock };

interface Run {
  readonly bucket: Bucket;
  readonly rule: LifecycleRule;
  readonly calendar: Calendar;
  readonly signal: AbortSignal;
}

function rangeFor({ filter }: LifecycleRule): KeyRange {
  return rangeOf({ prefix: filter.prefix ?? "", delimiter: "", after: "" });
}

async function expireObjects(deps: BucketDeps, { bucket, rule, calendar, signal }: Run): Promise<void> {
  const { nowMs, dayMs } = calendar;
  const { days, dateMs } = rule.expiration ?? {};
  if (days === undefined && (dateMs === undefined || dateMs > nowMs)) return;
  const beforeMs = earlier(nowMs, (days ?? 0) * dayMs);
  let range = rangeFor(rule);
  for (;;) {
    signal.throwIfAborted();
    const rows = await objectsBefore(deps.metadata.read, bucket.id, range, { beforeMs, limit: PAGE });
    const past = rows.filter((row) => isPast(rule, row, calendar));
    for (let at = 0; at < past.length; at += BATCH) await deleteBatch(deps, bucket, rule, past.slice(at, at + BATCH));
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    range = { ...range, start: behind(last.key) };
  }
}

function isPast(rule: LifecycleRule, row: LifecycleRow, { nowMs, dayMs }: Calendar): boolean {
  const atMs = expiryBy(rule, row.modified_at, dayMs);
  const isDue = atMs !== undefined && atMs <= nowMs;
  return isDue && matchesFilter(rule.filter, { key: keyText(row.key), size: row.size, tags: tagsOf(row) });
}

/** Deletes the objects that have not changed since they were read. */
async function deleteBatch(
  deps: BucketDeps,
  bucket: Bucket,
  rule: LifecycleRule,
  rows: readonly LifecycleRow[],
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const keys: string[] = [];
    for (const row of rows) {
      const { current } = await stateForWrite(deps, tx, bucket, row.key);
      if (current?.seq !== row.seq || isLocked(detailOf(current), deps.clock)) continue;
      const key = keyText(row.key);
      const marker = await markDeleted(deps, tx, bucket, { key, owner: "", conditions: undefined });
      const name = marker === undefined ? "LifecycleExpiration:Delete" : "LifecycleExpiration:DeleteMarkerCreated";
      await emit(deps, tx, bucket, { name, key, versionId: marker?.version_id ?? null, caller: null });
      keys.push(key);
    }
    await audit(deps, tx, bucket, rule, keys);
  });
}

async function expireVersions(deps: BucketDeps, { bucket, rule, calendar, signal }: Run): Promise<void> {
  if (rule.noncurrentExpiration === undefined && rule.expiration === undefined) return;
  let range = rangeFor(rule);
  for (;;) {
    signal.throwIfAborted();
    const keys = await keysWithHistory(deps.metadata.read, bucket.id, range, BATCH);
    const last = keys.at(-1);
    if (last === undefined) return;
    const rows = await versionsOfKeys(deps.metadata.read, bucket.id, keys);
    const byKey = Map.groupBy(rows.map(versionedOf), ({ key }) => key);
    const past = [...byKey.values()].flatMap((versions) => versionsPast(rule, versions, calendar));
    if (past.length > 0) await removeBatch(deps, bucket, rule, past);
    if (keys.length < BATCH) return;
    range = { ...range, start: behind(last) };
  }
}

function versionedOf(row: LifecycleRow): Versioned {
  const { seq, size, version_id: versionId, modified_at: modifiedAtMs } = row;
  return {
    key: keyText(row.key),
    size,
    tags: tagsOf(row),
    seq,
    versionId,
    modifiedAtMs,
    isMarker: row.blob_id === null,
  };
}

/** Deletes versions for good, unless they are locked or have become the current one in the meantime. */
async function removeBatch(
  deps: BucketDeps,
  bucket: Bucket,
  rule: LifecycleRule,
  past: readonly Versioned[],
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const keys: string[] = [];
    for (const { key, versionId, seq, isMarker } of past) {
      await stateForWrite(deps, tx, bucket, Buffer.from(key));
      const found = await locate(tx, bucket, { key, versionId });
      if (found === undefined || found.row.seq !== seq || (found.isLatest && !isMarker)) continue;
      if (isLocked(detailOf(found.row), deps.clock)) continue;
      await removeVersion(deps, tx, bucket, found);
      await emit(deps, tx, bucket, { name: "LifecycleExpiration:Delete", key, versionId, caller: null });
      keys.push(key);
    }
    await audit(deps, tx, bucket, rule, keys);
  });
}

async function abortUploads(deps: BucketDeps, { bucket, rule, calendar, signal }: Run): Promise<void> {
  const days = rule.abortUploadsAfterDays;
  if (days === undefined) return;
  const { nowMs, dayMs } = calendar;
  const found = await uploadsBefore(deps.metadata.read, bucket.id, rangeFor(rule), earlier(nowMs, days * dayMs));
  for (const { id } of found) {
    signal.throwIfAborted();
    await deps.metadata.write(async (tx) => {
      await deps.metadata.lock(tx, `s3_upload:${id}`);
      const upload = await uploadById(tx, id);
      if (upload === undefined || upload.completed_at !== null || dueAfter(upload.created_at, days, dayMs) > nowMs)
        return;
      await dropUpload(deps, tx, upload);
    });
  }
}

function behind(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}

async function audit(
  deps: BucketDeps,
  tx: Writer,
  bucket: Bucket,
  rule: LifecycleRule,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await appendAudit(deps, tx, {
    ...BY_RULE,
    orgId: bucket.orgId,
    action: "object.delete",
    target: { kind: "app", id: bucket.id },
    detail: { bucket: bucket.name, rule: rule.id, count: keys.length, objects: keys.map((key) => ({ key })) },
  });
}
