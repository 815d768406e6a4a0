import { S3_KEY_SCOPES, type ORGANIZATION_ROUTES, type ResultOf, type Scope } from "@mooring/contract";
import { resourceWords } from "./resources.ts";

export type S3Key = ResultOf<typeof ORGANIZATION_ROUTES.listS3Keys>["items"][number];
export type NewS3Key = ResultOf<typeof ORGANIZATION_ROUTES.createS3Key>;

export function isKeyScope(scope: Scope): scope is S3Key["scopes"][number] {
  return (S3_KEY_SCOPES as readonly Scope[]).includes(scope);
}

/** The meaning of each scope for an S3 key. */
export const KEY_SCOPE_TEXTS: Readonly<Record<S3Key["scopes"][number], string>> = {
  "s3:read": "list buckets, list and download objects",
  "s3:write": "upload, copy and replace objects",
  "s3:delete": "delete objects",
  "apps:write": "create, delete and configure buckets (policies, lifecycle, notifications)",
};

/** `read, write, delete`. */
export function scopesText(scopes: readonly string[]): string {
  if (scopes.length === 0) return "nothing";
  return scopes.map((scope) => (scope === "apps:write" ? "buckets" : scope.replace("s3:", ""))).join(", ");
}

type Reach = Pick<S3Key, "buckets" | "prefix"> & Partial<Pick<S3Key, "resources">>;

/** The buckets and the prefix of a key: `shop, reports: 2026/`. */
export function reachText({ buckets, prefix, resources = null }: Reach): string {
  if (resources !== null)
    return resourceWords(resources)
      .map(([, name]) => name)
      .join(", ");
  const names = buckets === null ? "every bucket" : buckets.join(", ");
  return prefix === "" ? names : `${names}: ${prefix}`;
}

/** Whether a key with these limits has access to a bucket of a project. */
export function reaches(
  key: Pick<S3Key, "buckets" | "project_id"> & Partial<Pick<S3Key, "resources">>,
  bucket: { slug: string; project_id: string },
): boolean {
  const { resources = null } = key;
  const isLimitedTo = resources === null || resources.buckets?.some(({ name }) => name === bucket.slug) === true;
  const named = isLimitedTo && (key.buckets === null || key.buckets.includes(bucket.slug));
  return named && (key.project_id === null || key.project_id === bucket.project_id);
}

/** Splits names at commas and spaces. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}
