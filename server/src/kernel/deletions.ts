import type { Clock } from "./time.ts";

/**
 * All deletions that compare with the time, by name. A clock that is ahead would delete data too early, so each calls
 * `GuardedClock.deletionTime` first.
 */
export const DELETIONS = {
  telemetry: "telemetry past its retention",
  telemetry_keys: "idempotency keys of telemetry",
  content: "content of files that nothing holds",
  orphans: "content that no record knows of (mooring scrub --delete-orphans)",
  uploads: "uploads of files that were never made",
  file_trash: "files in the trash",
  webhook_events: "events of webhooks past their retention",
  webhook_rejections: "requests that webhooks refused",
  webhook_remains: "what deleted webhooks left",
  s3_lifecycle: "objects, versions and uploads by the rules of buckets",
  s3_locks: "versions of objects past their object lock",
  s3_uploads: "answers of completed multipart uploads",
  s3_deliveries: "events of buckets that could not be delivered",
  image_uploads: "uploads of images that went no further",
  image_rules: "tags and manifests by the rules of repositories",
  images: "manifests and blobs that no image needs",
  idempotency_keys: "idempotency keys of the API",
  activity: "counts of requests by hour",
  sessions: "sessions of the portal that are over",
  signing_keys: "keys for tokens that are no longer published",
  revocations: "revocations of tokens and nodes that ended",
} as const;

export type Deletion = keyof typeof DELETIONS;

declare const BRAND: unique symbol;

/**
 * A time before which data may be deleted. Only a `GuardedClock` creates one, and functions that delete by time require
 * one.
 */
export type Cutoff = number & { readonly [BRAND]: true };

/** A clock that knows whether it is correct enough to delete by. */
export interface GuardedClock extends Clock {
  /**
   * Returns the time for one deletion. Null: the clock is in doubt, so the deletion must wait. It is counted as held.
   */
  deletionTime(deletion: Deletion): Cutoff | null;
  isTrusted(): boolean;
}

/** Returns an earlier time, which is also safe to delete by. */
export function earlier(cutoff: Cutoff, ms: number): Cutoff {
  if (ms < 0) throw new Error("deleting by a later time may be unsafe");
  return (cutoff - ms) as Cutoff;
}
