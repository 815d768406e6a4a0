import type { Clock } from "./time.ts";

/**
 * Every deletion that compares with the time, by name. A clock that is ahead would delete data too early, so each asks
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
 * A time before which data may be deleted. Only a `GuardedClock` creates one: functions that delete by time take it.
 */
export type Cutoff = number & { readonly [BRAND]: true };

/** A clock that knows whether it can be trusted to delete. */
export interface GuardedClock extends Clock {
  /** The time now, for one deletion. Null: the clock is in doubt, the deletion has to wait, and is counted as held. */
  deletionTime(deletion: Deletion): Cutoff | null;
  isTrusted(): boolean;
}

/** A time before one that is good to delete by is good as well. */
export function earlier(cutoff: Cutoff, ms: number): Cutoff {
  if (ms < 0) throw new Error("a later time is not known to be good to delete by");
  return (cutoff - ms) as Cutoff;
}
