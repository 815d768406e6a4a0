import { fullestOf, fullestOrganization } from "#domain/quotas/index.ts";
import { QUOTA_SCOPES } from "#kernel/metrics/families/storage.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Config } from "../config.ts";

const KNOWN_MS = 10_000;

type Scope = (typeof QUOTA_SCOPES)[number];
type Limits = Pick<
  Config,
  "files_stored_bytes_max" | "s3_stored_bytes_max" | "registry_stored_bytes_max" | "webhook_stored_bytes_max"
>;

/** Lets each scrape read the quota of each scope that is used most. Scrapes within ten seconds share the figures. */
export function readQuotas(metrics: Metrics, { read: db }: Pick<MetadataStore, "read">, limits: Limits): void {
  let known: { readonly shares: Promise<Record<Scope, number>>; readonly readMs: number } | undefined;
  const measure = async (): Promise<Record<Scope, number>> => {
    const ofOrganizations = [
      await fullestOrganization(db, "files", limits.files_stored_bytes_max),
      await fullestOrganization(db, "objects", limits.s3_stored_bytes_max),
      await fullestOrganization(db, "images", limits.registry_stored_bytes_max),
      await fullestOrganization(db, "events", limits.webhook_stored_bytes_max),
    ];
    return {
      organization: Math.max(...ofOrganizations),
      project: await fullestOf(db, "project"),
      bucket: await fullestOf(db, "bucket"),
      webhook: await fullestOf(db, "webhook"),
    };
  };
  metrics.read("mooring_quota_used_ratio", async () => {
    const nowMs = performance.now();
    if (known === undefined || nowMs - known.readMs > KNOWN_MS) known = { shares: measure(), readMs: nowMs };
    const shares = await known.shares.catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return QUOTA_SCOPES.map((scope) => [{ scope }, shares[scope]]);
  });
}
