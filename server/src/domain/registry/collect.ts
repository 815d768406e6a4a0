import type { Cutoff } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import { blobRow, expiredBlobs, isNeeded, renewLease } from "./blobs-store.ts";
import { unlinkBlob } from "./blobs.ts";
import { expiredManifests, hasTag, holdManifests, manifestRow } from "./manifests-store.ts";
import { removeManifest } from "./manifests.ts";
import { applyAllRetention } from "./retention.ts";
import { lockRegistry } from "./repositories.ts";
import type { ManifestRow, TimedRemovalDeps } from "./types.ts";
import { expireUploads } from "./uploads.ts";

export interface Collection {
  readonly uploads: number;
  readonly manifests: number;
  readonly blobs: number;
  readonly bytes: number;
}

const BATCH = 200;

/**
 * Deletes content that nothing needs and nobody requested within a lease: abandoned uploads, manifests whose index or
 * subject was deleted, and blobs without a manifest. Each deletion is a transaction that checks again, so it may run
 * beside pushes and pulls, and on several nodes. The object store's own collection then deletes the bytes that nothing
 * references or reads.
 */
export async function collectRegistry(deps: TimedRemovalDeps): Promise<Collection> {
  const uploads = await expireUploads(deps);
  const nowMs = deps.clock.deletionTime("images");
  if (nowMs === null) return { uploads, manifests: 0, blobs: 0, bytes: 0 };
  const manifests = await collectManifests(deps, nowMs);
  const { blobs, bytes } = await collectBlobs(deps, nowMs);
  return { uploads, manifests, blobs, bytes };
}

async function collectManifests(deps: TimedRemovalDeps, nowMs: Cutoff): Promise<number> {
  let count = 0;
  for (;;) {
    const expired = await expiredManifests(deps.metadata.read, nowMs, BATCH);
    for (const row of expired) if (await collectManifest(deps, row, nowMs)) count += 1;
    if (expired.length < BATCH) return count;
  }
}

/** Deletes a manifest. If it is needed again, it stays and loses its lease. */
async function collectManifest(
  deps: TimedRemovalDeps,
  { org_id, repository, digest }: ManifestRow,
  nowMs: Cutoff,
): Promise<boolean> {
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, org_id);
    const row = await manifestRow(tx, repository, digest);
    if (row === undefined || row.lease_until === null || row.lease_until >= nowMs) return false;
    const isHeld =
      (await hasTag(tx, repository, digest)) ||
      (await isNeeded(tx, repository, digest)) ||
      (row.subject !== null && (await manifestRow(tx, repository, row.subject)) !== undefined);
    if (isHeld) await holdManifests(tx, repository, [digest]);
    else await removeManifest(deps, tx, repository, digest);
    return !isHeld;
  });
}

async function collectBlobs(deps: TimedRemovalDeps, nowMs: Cutoff): Promise<{ blobs: number; bytes: number }> {
  let [blobs, bytes] = [0, 0];
  for (;;) {
    const expired = await expiredBlobs(deps.metadata.read, nowMs, BATCH);
    for (const { org_id, repository, digest, size } of expired) {
      const isGone = await deps.metadata.write(async (tx) => {
        await lockRegistry(deps, tx, org_id);
        const row = await blobRow(tx, repository, digest);
        if (row === undefined || row.lease_until === null || row.lease_until >= nowMs) return false;
        // A needed blob should have no lease. This lease is a fault, so repair it instead of deleting the blob.
        const isHeld = await isNeeded(tx, repository, digest);
        if (isHeld) await renewLease(tx, repository, digest, null);
        else await unlinkBlob(deps, tx, repository, digest);
        return !isHeld;
      });
      if (!isGone) continue;
      blobs += 1;
      bytes += size;
    }
    if (expired.length < BATCH) return { blobs, bytes };
  }
}

/** Collects at intervals until the returned work is stopped. */
export function startCollection(
  deps: TimedRemovalDeps & {
    readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
    readonly schedule: Schedule;
  },
  everyMs: number,
): ScheduledWork {
  const run = async (): Promise<void> => {
    await applyAllRetention(deps);
    const collected = await collectRegistry(deps);
    if (collected.blobs + collected.manifests > 0)
      deps.log.info({ ...collected }, "deleted content that no image needs");
  };
  const failed = (error: unknown): void =>
    deps.log.error({ err: error }, "cannot delete content that no image needs; it is retried later");
  return deps.schedule.add("images", { everyMs, run, failed });
}
