import type { Writer } from "#stores/metadata/index.ts";
import type { Bucket } from "../../types/index.ts";
import { addUsage } from "../store.ts";
import type { WriteDeps } from "../version.ts";
import { deleteKeys, deletePast, insertMarkers, promoteKeys, retireKeys, type Marker, type PastKey } from "./store.ts";

/**
 * The changes of deletions, collected so that they are written in a few statements. Keys are encoded for statements.
 */
export class DeletionPlan {
  /** Keys whose current version moves to the history. */
  readonly retired: string[] = [];
  /** Keys whose current version is deleted. */
  readonly emptied: string[] = [];
  readonly past: PastKey[] = [];
  readonly markers = new Map<string, Marker>();
  /** Keys whose newest remaining version becomes the current one. */
  readonly promoted = new Set<string>();
  readonly blobs: string[] = [];
  #freedObjects = 0;
  #freedBytes = 0;
  #changes = 0;

  /** Counts a version that was added, deleted or moved. */
  count(freed: { readonly blob_id: string | null; readonly size: number } | undefined): void {
    this.#changes += 1;
    if (freed === undefined || freed.blob_id === null) return;
    this.blobs.push(freed.blob_id);
    this.#freedObjects += 1;
    this.#freedBytes += freed.size;
  }

  addMarker(marker: Marker): void {
    this.markers.set(`${marker.key} ${marker.seq}`, marker);
  }

  /** Deletes a version from the history. It may be a marker that this plan has added. */
  removePast({ key, seq }: PastKey): void {
    if (!this.markers.delete(`${key} ${seq}`)) this.past.push({ key, seq });
  }

  async write(
    deps: WriteDeps,
    tx: Writer,
    bucket: Bucket,
    by: { readonly owner: string; readonly nowMs: number },
  ): Promise<void> {
    if (this.#changes === 0) return;
    const { dialect } = deps.metadata;
    retireKeys(dialect, tx, bucket.id, this.retired);
    deleteKeys(dialect, tx, bucket.id, this.emptied);
    deletePast(dialect, tx, bucket.id, this.past);
    const of = { bucket: bucket.id, org_id: bucket.orgId, owner: by.owner, modified_at: by.nowMs };
    insertMarkers(dialect, tx, of, [...this.markers.values()]);
    promoteKeys(dialect, tx, bucket.id, [...this.promoted]);
    const change = { objects: -this.#freedObjects, bytes: -this.#freedBytes };
    addUsage(dialect, tx, { org_id: bucket.orgId, bucket: bucket.id }, change);
    if (this.blobs.length > 0) await deps.objects.unlink(tx, bucket.orgId, this.blobs);
  }
}
