import type { ActivityService, ResultOf, USAGE_ROUTES } from "@mooring/contract";
import { fileQuotaOf, usageOf as filesOf } from "#domain/files/index.ts";
import { countCredentials, requireOrganization } from "#domain/identity/index.ts";
import { countOrganization, NO_LIMIT } from "#domain/organizations/index.ts";
import { imageQuotaOf, usageOf as imagesOf } from "#domain/registry/index.ts";
import { countAccessKeys, usageOf as bucketsOf } from "#domain/s3/index.ts";
import { usageOf as eventsOf } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { UsageSurfaceDeps } from "../deps.ts";

type Body = ResultOf<typeof USAGE_ROUTES.getUsage>;

const SOON_MS = 30 * 24 * 60 * 60 * 1000;

export function getUsage(deps: UsageSurfaceDeps): Operation<typeof USAGE_ROUTES.getUsage> {
  return async (_input, { principal }) => {
    requireOrganization(principal, "org:read");
    const { orgId } = principal;
    const activity = await deps.identity.activity.ofOrganization(orgId);
    const { perSecond, burst } = deps.limits.rate;
    return {
      services: {
        telemetry: telemetryOf(deps, orgId),
        ...(await storedOf(deps, orgId)),
      },
      requests_last_day: activity.map(({ service, requests, refused }) => ({
        service: service as ActivityService,
        requests,
        refused,
      })),
      rate_limit: {
        per_second: perSecond,
        burst,
        hits_last_day: activity.reduce((sum, { limited }) => sum + limited, 0),
      },
      credentials: await keysOf(deps, (atMs) => countCredentials(deps.metadata.read, orgId, atMs)),
      s3_keys: await keysOf(deps, (atMs) => countAccessKeys(deps.metadata.read, orgId, atMs)),
      ...(await countOrganization(deps.metadata.read, orgId)),
    };
  };
}

function telemetryOf({ telemetry }: UsageSurfaceDeps, orgId: string): Body["services"]["telemetry"] {
  const { logs, metrics, traces } = telemetry.usage(orgId);
  const { storedBytesMax, ingest } = telemetry.policy(orgId);
  return {
    bytes: logs.bytes + metrics.bytes + traces.bytes,
    rows: { logs: logs.rows, metrics: metrics.rows, traces: traces.rows },
    quota_bytes: storedBytesMax,
    ingest_bytes_per_second: ingest?.bytesPerSecond ?? null,
    ingest_bytes_burst: ingest?.burstBytes ?? null,
  };
}

async function storedOf(
  deps: UsageSurfaceDeps,
  orgId: string,
): Promise<Pick<Body["services"], "files" | "buckets" | "images" | "webhooks">> {
  const { metadata, limits } = deps;
  const files = await filesOf(metadata.read, orgId);
  const images = await imagesOf(metadata.read, orgId);
  const events = await eventsOf(metadata.read, orgId);
  return {
    files: {
      bytes: files.bytes,
      count: files.files,
      trashed_bytes: files.trashed_bytes,
      reserved_bytes: files.reserved,
      quota_bytes: quotaOf(await fileQuotaOf(deps, orgId), limits.filesBytesMax),
    },
    buckets: { ...(await bucketsOf(metadata.read, orgId)), quota_bytes: limits.bucketsBytesMax },
    images: {
      bytes: images.bytes,
      uploading_bytes: images.uploading,
      quota_bytes: quotaOf(await imageQuotaOf(deps, orgId), limits.imagesBytesMax),
    },
    webhooks: { bytes: events.bytes, events: events.events, quota_bytes: limits.webhooksBytesMax },
  };
}

/** Null: no limit. `chosen`: for the organization; null: nothing. */
function quotaOf(chosen: number | null, byDefault: number | null): number | null {
  const quota = chosen ?? byDefault;
  return quota === NO_LIMIT ? null : quota;
}

async function keysOf(
  { clock }: UsageSurfaceDeps,
  liveAt: (atMs: number) => Promise<number>,
): Promise<Body["credentials"]> {
  const nowMs = clock.nowMs();
  const live = await liveAt(nowMs);
  return { live, expiring_within_30_days: live - (await liveAt(nowMs + SOON_MS)) };
}
