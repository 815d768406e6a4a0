import type { Bucket, BucketConfig } from "../types/index.ts";
import type { BucketRow } from "./store.ts";

const NOTHING_SET: BucketConfig = {};
const KEPT_MAX = 2000;

/** Caches parsed configurations by bucket, so that requests don't parse them again while they are unchanged. */
export class ConfigCache {
  readonly #kept = new Map<string, { readonly text: string; readonly config: BucketConfig }>();

  of(id: string, text: string | null): BucketConfig {
    if (text === null || text === "{}") return NOTHING_SET;
    const known = this.#kept.get(id);
    if (known?.text === text) return known.config;
    const config = JSON.parse(text) as BucketConfig;
    this.#kept.delete(id);
    this.#kept.set(id, { text, config });
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return config;
  }
}

export function bucketOf(row: BucketRow, config: BucketConfig): Bucket {
  return {
    id: row.id,
    orgId: row.org_id,
    projectId: row.project_id,
    name: row.slug,
    createdAtMs: row.created_at,
    owner: { id: row.project_id, displayName: row.project_slug },
    visibility: row.visibility,
    projectState: row.project_state,
    versioning: row.versioning ?? "unversioned",
    config,
  };
}
