import type { Clock } from "./time.ts";

/**
 * All deletions that compare with the time, by name. A clock that is ahead would delete data too early, so each calls
 * `GuardedClock.deletionTime` first.
 */
export const DELETIONS = {
  telemetry: "telemetry past its retention",
  organizations: "deleted organizations past their grace period",
  telemetry_keys: "idempotency keys of telemetry",
  content: "content of deleted files and objects",
  orphans: "content without a record (mooring scrub --delete-orphans)",
  uploads: "unfinished uploads of files",
  file_trash: "files in the trash",
  trash: "webhooks, images, repositories, apps and projects in the trash",
  webhook_events: "events of webhooks past their retention",
  webhook_rejections: "requests that webhooks refused",
  webhook_remains: "data of deleted webhooks",
  s3_lifecycle: "objects, versions and uploads by the rules of buckets",
  s3_locks: "versions of objects past their object lock",
  s3_uploads: "answers of completed multipart uploads",
  s3_deliveries: "events of buckets that could not be delivered",
  image_uploads: "unfinished uploads of images",
  image_rules: "tags and manifests by the rules of repositories",
  images: "manifests and blobs that no image needs",
  idempotency_keys: "idempotency keys of the API",
  activity: "counts of requests by hour",
  usage: "daily usage after 13 months",
  refused_entries: "counts and samples of refused telemetry",
  refused_requests: "refused requests after a week",
  sessions: "expired sessions of the portal",
  logins: "logins of the command line that were not used for a month",
  signing_keys: "signing keys that are no longer published",
  audit_log: "entries of the audit log past their retention",
  revocations: "revocations of expired tokens, and nodes that ended",
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
