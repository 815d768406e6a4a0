import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type S3Key = ResultOf<typeof ORGANIZATION_ROUTES.listS3Keys>["items"][number];
export type NewS3Key = ResultOf<typeof ORGANIZATION_ROUTES.createS3Key>;

/** What each scope of a key means, to whoever chooses. */
export const KEY_SCOPE_TEXTS: Readonly<Record<S3Key["scopes"][number], string>> = {
  "s3:read": "read: list buckets, list and download objects",
  "s3:write": "write: upload, copy and replace objects",
  "s3:delete": "delete objects",
  "apps:write": "make, delete and configure buckets (policies, lifecycle, notifications)",
};

/** `read, write, delete`. */
export function scopesText(scopes: readonly string[]): string {
  if (scopes.length === 0) return "nothing";
  return scopes.map((scope) => (scope === "apps:write" ? "buckets" : scope.replace("s3:", ""))).join(", ");
}

export type KeyState = "live" | "cut" | "pending" | "expired" | "revoked";

/** Whether a key works now; `cut`: it may do less than was chosen. */
export function stateOf(
  key: Pick<S3Key, "revoked_at" | "pending" | "expires_at" | "scopes" | "effective_scopes">,
  now: Date,
): KeyState {
  if (key.revoked_at !== null) return "revoked";
  if (key.expires_at !== null && new Date(key.expires_at) <= now) return "expired";
  if (key.pending) return "pending";
  return key.effective_scopes.length < key.scopes.length ? "cut" : "live";
}

/** Where a key reaches: `shop, reports: 2026/`. */
export function reachText({ buckets, prefix }: Pick<S3Key, "buckets" | "prefix">): string {
  const names = buckets === null ? "every bucket" : buckets.join(", ");
  return prefix === "" ? names : `${names}: ${prefix}`;
}

/** Whether a key with these limits reaches a bucket of a project. */
export function reaches(
  key: Pick<S3Key, "buckets" | "project_id">,
  bucket: { slug: string; project_id: string },
): boolean {
  const named = key.buckets === null || key.buckets.includes(bucket.slug);
  return named && (key.project_id === null || key.project_id === bucket.project_id);
}

/** Names typed with commas or spaces between them. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** So many days from now, as the API takes it; empty: never. */
export function expiryOf(days: string, now: Date): string | null {
  if (days === "") return null;
  return new Date(now.getTime() + Number(days) * 86_400_000).toISOString();
}
