import type { ActivityService, ResultOf, USAGE_ROUTES } from "@mooring/contract";
import { requireOrganization } from "#domain/identity/index.ts";
import { countOrganization } from "#domain/organizations/index.ts";
import { storedQuotaOf, usageOf } from "#domain/quotas/index.ts";
import { limitOf } from "#kernel/no-limit.ts";
import type { UsageOperation, UsageSurfaceDeps } from "../deps.ts";

type Body = ResultOf<typeof USAGE_ROUTES.getUsage>;

const SOON_MS = 30 * 24 * 60 * 60 * 1000;

export const getUsage: UsageOperation<"getUsage"> = async (deps, _input, { principal }) => {
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
    credentials: await liveOf(deps, (atMs) => deps.identity.credentials.count(orgId, atMs)),
    s3_keys: await liveOf(deps, (atMs) => deps.identity.s3Keys.count(orgId, atMs)),
    ...(await countOrganization(deps.metadata.read, orgId)),
  };
};

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
  const db = metadata.read;
  const organization = { org_id: orgId };
  const files = await usageOf(db, "files", organization);
  const images = await usageOf(db, "images", organization);
  const { objects, bytes } = await usageOf(db, "objects", organization);
  const events = await usageOf(db, "events", organization);
  return {
    files: {
      bytes: files.bytes,
      count: files.files,
      trashed_bytes: files.trashed_bytes,
      reserved_bytes: files.reserved,
      quota_bytes: limitOf(await storedQuotaOf(db, "files", orgId), limits.filesBytesMax),
    },
    buckets: { objects, bytes, quota_bytes: limits.bucketsBytesMax },
    images: {
      bytes: images.bytes,
      uploading_bytes: images.uploading,
      quota_bytes: limitOf(await storedQuotaOf(db, "images", orgId), limits.imagesBytesMax),
    },
    webhooks: { bytes: events.bytes, events: events.events, quota_bytes: limits.webhooksBytesMax },
  };
}

async function liveOf(
  { clock }: UsageSurfaceDeps,
  liveAt: (atMs: number) => Promise<number>,
): Promise<Body["credentials"]> {
  const nowMs = clock.nowMs();
  const live = await liveAt(nowMs);
  return { live, expiring_within_30_days: live - (await liveAt(nowMs + SOON_MS)) };
}
