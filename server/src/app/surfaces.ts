import type { RefusedEntries } from "#domain/refused-entries/index.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { PeopleDeps } from "#domain/people/index.ts";
import { createHealthSurface, watchPeers, type HttpHost, type Listener, type Surface } from "#http/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { S3 } from "#domain/s3/index.ts";
import {
  createAlertsSurface,
  createTelemetrySettingsSurface,
  createTelemetrySurfaces,
  type EncoderPool,
  type IngestRuleParts,
  type Skipped,
  type Tails,
} from "#surfaces/telemetry/index.ts";
import { createApiSurface } from "#surfaces/api/index.ts";
import { createBucketsSurface, type GatewayLink } from "#surfaces/s3/index.ts";
import { createFilesSurface } from "#surfaces/files/index.ts";
import { createImagesSurface, createRegistrySurface } from "#surfaces/registry/index.ts";
import { createOauthSurface } from "#surfaces/oauth/index.ts";
import { createOrganizationSurface, createUsageSurface, type UsageSurfaceDeps } from "#surfaces/organization/index.ts";
import { createPortalSurface } from "#surfaces/portal/index.ts";
import { createQuerySurface, type QueryLimits } from "#surfaces/query/index.ts";
import { createWebhooksSurface } from "#surfaces/webhooks/index.ts";
import type { Addresses } from "./addresses.ts";
import type { createAlerts } from "./alerts.ts";
import { backupsSince, type BackupRunner, type PartRestorer } from "./backup/index.ts";
import type { Config } from "./config.ts";
import type { Files } from "./files.ts";
import type { Leaving } from "./leaving.ts";
import { instanceFactsOf } from "./instance.ts";
import type { MailPart } from "./mail.ts";
import type { StoreProbes } from "./probes.ts";
import type { Problems } from "./problems.ts";
import type { RegistryPart } from "./registry.ts";
import type { RequestsPart } from "./requests.ts";
import type { Trash } from "./trash.ts";
import { trashSettingsOf } from "./trash-settings.ts";
import type { Webhooks } from "./webhooks.ts";

export interface SurfaceParts {
  readonly config: Config;
  readonly clock: ClockGuard;
  readonly addresses: Addresses;
  readonly host: HttpHost;
  readonly identity: Identity;
  readonly people: PeopleDeps;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly encoders: EncoderPool;
  readonly rules: IngestRuleParts;
  readonly refused: RefusedEntries;
  readonly tails: Tails;
  readonly skipped: Skipped;
  readonly requests: RequestsPart;
  readonly alerts: ReturnType<typeof createAlerts>;
  readonly files: Files;
  readonly registry: RegistryPart;
  readonly webhooks: Webhooks;
  readonly s3: S3;
  readonly s3Gateway: GatewayLink;
  readonly mail: MailPart;
  readonly trash: Trash;
  readonly log: { level: string; warn(fields: object, message: string): void };
  /** The listeners that accept requests. */
  readonly listeners: readonly Listener[];
  readonly backups: BackupRunner;
  readonly restores: PartRestorer;
  readonly probes: Pick<StoreProbes, "health">;
  readonly problems: Pick<Problems, "list">;
  readonly leaving: Leaving;
  readonly schedule: Schedule;
  readonly stopping: () => boolean;
}

/** Creates all interfaces of the product. */
export function createSurfaces(parts: SurfaceParts): Surface[] {
  const { config, clock, addresses, host, identity, metadata, telemetry } = parts;
  const { mails: mail } = parts.mail;
  const peers = watchPeers({ clock, trusted: config.trusted_proxies, log: parts.log }, parts.listeners);
  const { people, backups, restores, schedule, alerts, files, registry, webhooks, s3, s3Gateway } = parts;
  return [
    healthSurfaceOf(parts),
    createApiSurface({ host, addresses }),
    createOauthSurface({ host, identity, people, portalUrl: addresses.portal_url }),
    createOrganizationSurface({
      host,
      identity,
      metadata,
      clock,
      addresses,
      outbound: alerts.deps.outbound,
      requests: parts.requests.refusals,
      mail,
      leaving: parts.leaving,
      trash: { ...parts.trash.work, ...trashSettingsOf(config) },
    }),
    ...telemetrySurfacesOf(parts),
    createUsageSurface({ host, identity, metadata, clock, telemetry, limits: usageLimitsOf(config) }),
    createQuerySurface({
      host,
      metadata,
      store: telemetry,
      limits: queryLimitsOf(config),
      nodeId: identity.feed.nodeId,
    }),
    createAlertsSurface({ host, ...alerts.deps }),
    createFilesSurface({ host, ...files.deps, uploadIdleTimeoutMs: config.upload_idle_timeout_ms }),
    createBucketsSurface({
      host,
      metadata,
      clock,
      envelope: identity.envelope,
      domain: s3,
      gateway: s3Gateway,
      apiUrl: addresses.portal_url,
    }),
    createImagesSurface({ host, ...registry.deps, clock }),
    createRegistrySurface({ host, ...registry.deps }),
    createWebhooksSurface({ host, ...webhooks.deps }),
    createPortalSurface({
      host,
      identity,
      instance: instanceFactsOf({ ...parts, peers }),
      people,
      metadata,
      clock,
      addresses,
      mail,
      backups,
      restores,
      leaving: parts.leaving,
      schedule,
      portalDir: config.portal_dir,
    }),
  ];
}

function healthSurfaceOf({ host, stopping, metadata, probes }: SurfaceParts): Surface {
  return createHealthSurface({
    host,
    stopping,
    checks: [
      {
        name: "metadata",
        check: async () => {
          await metadata.ping();
          return probes.health("records").reason;
        },
      },
      { name: "telemetry", check: () => probes.health("telemetry").reason },
      { name: "objects", check: () => probes.health("objects").reason },
    ],
  });
}

const HOUR_MS = 3_600_000;

/** Creates the interfaces that take telemetry, and those of its settings. */
function telemetrySurfacesOf(parts: SurfaceParts): Surface[] {
  const { config, clock, host, identity, metadata, telemetry, encoders, tails } = parts;
  const { senderProjects } = identity;
  return [
    ...createTelemetrySurfaces({
      host,
      store: telemetry,
      encoders,
      metadata,
      tails,
      senderProjects,
      rules: parts.rules,
      refused: parts.refused,
      skipped: parts.skipped,
    }),
    createTelemetrySettingsSurface({
      host,
      metadata,
      clock,
      store: telemetry,
      feed: identity.feed,
      retentionDaysMax: config.retention_days_max,
      retentionGraceMs: config.retention_grace_hours * HOUR_MS,
      retentionDeleteMs: config.retention_delete_hours * HOUR_MS,
      backupsSince: (ms) => backupsSince(config, ms),
      digest: (text) => identity.envelope.lookupHash("telemetry-erasure", text).hash.toString("hex"),
    }),
  ];
}

function usageLimitsOf(config: Config): UsageSurfaceDeps["limits"] {
  return {
    filesBytesMax: config.files_stored_bytes_max,
    bucketsBytesMax: config.s3_stored_bytes_max,
    imagesBytesMax: config.registry_stored_bytes_max,
    webhooksBytesMax: config.webhook_stored_bytes_max,
    rate: { perSecond: config.rate_limit_per_second, burst: config.rate_limit_burst },
  };
}

function queryLimitsOf(config: Config): QueryLimits {
  return {
    timeoutMs: config.query_timeout_ms,
    timeoutMsMax: config.query_timeout_ms_max,
    rowsMax: config.query_rows_max,
    memoryBytesMax: config.query_memory_bytes,
  };
}
