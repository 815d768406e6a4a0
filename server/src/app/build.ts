import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { auditRecords } from "#domain/audit/index.ts";
import { createIdentity, type Identity } from "#domain/identity/index.ts";
import { authenticateOperator } from "#domain/operator/index.ts";
import { organizationBySlug } from "#domain/organizations/index.ts";
import { createPeople, sessionsOf, withPeople } from "#domain/people/index.ts";
import { fileRecords } from "#domain/files/index.ts";
import { imageRecords } from "#domain/registry/index.ts";
import { objectRecords } from "#domain/s3/index.ts";
import { organizationsWithout } from "#domain/suspension/index.ts";
import { usageRecords } from "#domain/usage/index.ts";
import { eraseEvents, eventRecords } from "#domain/webhooks/index.ts";
import { countAnswered, createHttpHost, createHttpServer } from "#http/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import { createJobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { openTelemetry, type TelemetryStore, type TelemetryStoreSettings } from "#stores/telemetry/index.ts";
import { createSkipped } from "#surfaces/telemetry/index.ts";
import { BackupRunner, PartRestorer } from "./backup/index.ts";
import { requestPartsOf } from "./request-parts.ts";
import { addressesOf, type Addresses } from "./addresses.ts";
import { guardClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { limitTotals } from "./disk.ts";
import { fatalOf, type FatalPart } from "./fatal.ts";
import { startFeatures } from "./features.ts";
import { masterKeysOf } from "./master-keys.ts";
import { openIdempotency } from "./idempotency.ts";
import { createLeaving } from "./leaving.ts";
import { providerOf } from "./provider.ts";
import { recordQueries } from "./query-log.ts";
import { openRecords } from "./records.ts";
import { countSignIns, readBackups, startMeasures } from "./metrics/index.ts";
import { answeredRequest, type OwnTelemetry } from "./own-telemetry/index.ts";
import { createPhases, PHASE_STOP_MS, type Phases } from "./phases.ts";
import { createReload, type ReadConfig } from "./reload.ts";
import type { RegistryPart } from "./registry.ts";
import { createRequests, rateLimitOf } from "./requests.ts";
import { outboundFor } from "./outbound.ts";
import { createS3Domain, createS3Part } from "./s3.ts";
import { openListeners, openOthers, stopListening, watchCertificates } from "./listeners.ts";
import { createSurfaces, type SurfaceParts } from "./surfaces.ts";
import { startSyslog, syslogAddresses } from "./syslog.ts";
import { upstreamOf } from "./upstream.ts";
import { createTrash } from "./trash.ts";
import { createUsage } from "./usage.ts";

/** The running product. */
export interface App {
  readonly addresses: Addresses;
  /** `host:port` of the main listener, as bound. */
  readonly listen: string;
  /** `host:port` of OTLP/gRPC, as bound; null without it. */
  readonly grpcListen: string | null;
  /** `host:port` of each transport of syslog that is on. */
  readonly syslogListen: ReturnType<typeof syslogAddresses>;
  /** `host:port` of `/metrics`, as bound; null without it. */
  readonly metricsListen: string | null;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly telemetry: TelemetryStore;
  /** Resolves when an essential part has failed and was logged. The process must then end. */
  readonly fatal: Promise<FatalPart>;
  /** Uses the changed log level and certificates. Logs and counts faults. */
  reload(read: ReadConfig): void;
  /** Stops in the reverse order of the start. Running requests finish first. Returns the parts that did not stop in time. */
  stop(): Promise<readonly string[]>;
}

/**
 * Starts everything in order. It binds the listener first, so that a second start on the same address fails before it
 * touches data. The listener serves when everything else has started.
 */
export async function buildApp(
  config: Config,
  log: FastifyBaseLogger,
  clock: Clock,
  own: OwnTelemetry | null = null,
): Promise<App> {
  const phases = createPhases(log);
  try {
    makeDataDirectory(config.data_dir);
    return await startAll(config, log, clock, phases, own);
  } catch (error) {
    await phases.stop();
    throw error;
  }
}

async function startAll(
  config: Config,
  log: FastifyBaseLogger,
  systemTime: Clock,
  phases: Phases,
  own: OwnTelemetry | null,
): Promise<App> {
  let stopping = false;
  const [metrics, skipped] = [new Metrics(), createSkipped()];
  const listeners = await openListeners(config, log, phases);
  const { listener, s3Listener, grpcListen, secure } = listeners;
  const syslogListen = syslogAddresses(listeners.syslog);
  const bound = { listen: listener.address, s3Listen: s3Listener.address, grpcListen, syslog: syslogListen };
  const addresses = addressesOf(config, bound);
  const schedule = new Schedule(systemTime);
  const certificates = watchCertificates(secure, { clock: systemTime, log, schedule, phases, metrics });
  const metadata = await openRecords(config, systemTime, phases, schedule);
  const clock = await guardClock(config, { clock: systemTime, metadata, log, phases, schedule });
  const { telemetry, objects } = await openStores(config, { log, clock, phases, schedule, metadata, metrics });
  const identity = await openIdentity(config, addresses, { metadata, log, clock, phases, schedule });
  const measured = { metrics, log, clock, schedule, phases, metadata, telemetry, objects, skipped, listeners };
  const { probes, problems } = startMeasures(config, measured);
  if (own !== null) startOwnTelemetry(own, { config, metadata, telemetry, metrics, phases, schedule });
  const people = createPeople({ metadata, clock, identity, portalUrl: addresses.portal_url, oidc: providerOf(config) });
  const idempotency = openIdempotency(config, metadata, identity, clock);
  const host = createHttpHost({ ...signInsOf(people, identity), idempotency, clock, rateLimit: rateLimitOf(config) });
  const jobs = createJobs({ metadata, clock, log, schedule, metrics });
  const requests = createRequests({ metadata, clock, log, schedule, jobs, phases, metrics });
  const common = { config, log, clock, identity, jobs, schedule, metadata, telemetry, objects, requests };
  const s3 = createS3Domain(common);
  const [leaving, usage] = [createLeaving({ ...common, portalUrl: addresses.portal_url }), createUsage(common)];
  const features = startFeatures({ ...common, addresses, phases, metrics });
  const { alerts, files, mail, registry, tails, webhooks } = features;
  const endpoint = addresses.s3_endpoint;
  const s3Gateway = phases.started("s3 gateway", createS3Part({ ...common, endpoint }, s3), (part) => part.stop());
  const { backups, restores } = startBackups({ ...common, files, s3, phases, metrics });
  const trash = createTrash({ ...common, s3, registry, webhooks });
  const rest = { host, people, leaving, trash, skipped, addresses, backups, restores, probes, problems };
  const parts = { ...common, ...rest, s3, s3Gateway, ...features };
  const surfaces = createSurfaces({ ...parts, listeners: [listener, s3Listener], stopping: () => stopping });
  const answered = observersOf(identity, registry, own, metrics);
  const conventions = { log, clock, answered, ...requestPartsOf(config, { telemetry, clock, metrics, requests }) };
  await createHttpServer({ ...conventions, listener, surfaces });
  await createHttpServer({ ...conventions, listener: s3Listener, surfaces: [s3Gateway.surface] });
  const others = await openOthers(config, addresses, metrics);
  const syslog = startSyslog(listeners.syslog, { ...common, ...features, metrics });
  // Stopped before the parts that its jobs use.
  phases.started("jobs", jobs, (part) => part.stop());
  for (const part of [alerts, files, mail, s3, registry, webhooks, trash, backups, restores, leaving, requests, usage])
    await part.start();
  // Registered last, so that it stops first. Running requests need the other parts.
  const stopRequests = (part: typeof listeners): Promise<void> => {
    stopping = true;
    return stopListening(config, { listeners: part, others, syslog, tails, streams: webhooks.deps.streams });
  };
  phases.started("requests", listeners, stopRequests, config.stop_timeout_ms + PHASE_STOP_MS);
  return {
    addresses,
    listen: listener.address,
    grpcListen,
    syslogListen,
    metricsListen: others.metricsListen,
    metadata,
    identity,
    telemetry,
    fatal: fatalOf({ metadata, telemetry, identity, log }),
    reload: createReload({ config, log, metrics, certificates }),
    stop: () => phases.stop(),
  };
}

function startBackups({
  files,
  s3,
  phases,
  metrics,
  ...common
}: Omit<ConstructorParameters<typeof PartRestorer>[0], "files" | "restoreVersion"> & {
  readonly files: SurfaceParts["files"];
  readonly schedule: Schedule;
  readonly s3: ReturnType<typeof createS3Domain>;
  readonly phases: Phases;
  readonly metrics: Metrics;
}): { readonly backups: BackupRunner; readonly restores: PartRestorer } {
  const backups = phases.started("backups", new BackupRunner(common), (part) => part.stop());
  readBackups(metrics, backups);
  const restoreVersion: typeof s3.restoreVersion = (...of) => s3.restoreVersion(...of);
  const restorer = new PartRestorer({ ...common, files: files.deps, restoreVersion });
  return { backups, restores: phases.started("restores", restorer, (part) => part.stop()) };
}

/** Returns the ways in which people, programs and operators prove who they are. */
function signInsOf(
  people: ReturnType<typeof createPeople>,
  {
    authenticator,
    senders,
    senderProjects,
    keyOrigins: senderOrigins,
  }: Pick<Identity, "authenticator" | "keyOrigins" | "senderProjects" | "senders">,
) {
  return {
    authenticator: withPeople(people, authenticator),
    senders,
    senderProjects,
    senderOrigins,
    sessions: sessionsOf(people),
    operators: { authenticate: (token: string) => authenticateOperator(people, token) },
  };
}

/** Lists the observers of each answered request. */
function observersOf(
  identity: Pick<Identity, "activity">,
  registry: Pick<RegistryPart, "noteAnswered">,
  own: OwnTelemetry | null,
  metrics: Metrics,
) {
  const count = countAnswered(identity.activity);
  const countSignIn = countSignIns(metrics);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    count(request, reply);
    countSignIn(request, reply);
    if (request.routeOptions.config.surface !== "s3") registry.noteAnswered(request.routeOptions.url ?? "");
    own?.observe(answeredRequest(request, reply));
  };
}

function startOwnTelemetry(
  own: OwnTelemetry,
  parts: {
    config: Config;
    metadata: MetadataStore;
    telemetry: TelemetryStore;
    metrics: Metrics;
    phases: Phases;
    schedule: Schedule;
  },
): void {
  const { config, metadata, telemetry, metrics, phases, schedule } = parts;
  phases.started("own telemetry", own, (part) => part.stop());
  own.start({
    store: telemetry,
    metrics,
    organizationId: async () => (await organizationBySlug(metadata.read, config.own_telemetry_organization ?? ""))?.id,
    metricsIntervalMs: config.own_telemetry_metrics_interval_ms,
    schedule,
  });
}

async function openStores(
  config: Config,
  parts: {
    log: FastifyBaseLogger;
    clock: GuardedClock;
    phases: Phases;
    schedule: Schedule;
    metadata: MetadataStore;
    metrics: Metrics;
  },
): Promise<{ telemetry: TelemetryStore; objects: ObjectStore }> {
  const { log, clock, phases, schedule, metadata, metrics } = parts;
  const opened: { objects?: ObjectStore } = {};
  const telemetry = phases.started(
    "telemetry",
    await openTelemetry({
      dataDir: config.data_dir,
      metadata,
      clock,
      log,
      schedule,
      metrics,
      hasPeers: true,
      kept: () => organizationsWithout(metadata.read, "retain"),
      records: {
        audit_log: auditRecords({ metadata }),
        webhook_events: eventRecords({ metadata }),
        images: imageRecords({ metadata }),
        files: fileRecords({ metadata }),
        objects: objectRecords({ metadata }),
        usage_daily: usageRecords({ metadata }),
      },
      removeRecords: (orgId, ids, count) => eraseEvents({ metadata, objects: () => opened.objects }, orgId, ids, count),
      settings: {
        compactionRowsBytes: config.compaction_rows_bytes,
        compactionIntervalMs: config.compaction_interval_ms,
        queryConcurrency: config.query_concurrency,
        queryConcurrencyOrganization: config.query_concurrency_organization,
        queryConcurrencyActor: config.query_concurrency_actor,
        queryWaitingOrganization: config.query_waiting_organization,
        queryWaitingActor: config.query_waiting_actor,
        queryWaitMs: config.query_wait_ms,
        queryScanBytesMax: config.query_scan_bytes_max,
        queryScanBytesPerDayActor: config.query_scan_bytes_per_day_actor,
        queryMemoryBytes: config.query_memory_bytes,
        querySandbox: config.query_sandbox,
        retention: retentionOf(config),
      },
    }),
    (part) => part.close(),
  );
  recordQueries(telemetry);
  const objects = (opened.objects = phases.started(
    "objects",
    await openObjects({
      dataDir: config.data_dir,
      metadata,
      clock,
      log,
      settings: { graceMs: config.object_grace_ms, collectEveryMs: config.object_collect_ms },
      schedule,
      metrics,
      ...upstreamOf(config),
    }),
    (part) => part.close(),
  ));
  return { telemetry: limitTotals(config, parts, telemetry), objects };
}

const HOUR_MS = 3_600_000;

function retentionOf(config: Config): NonNullable<TelemetryStoreSettings["retention"]> {
  return {
    days: {
      logs: config.retention_days_logs,
      metrics: config.retention_days_metrics,
      traces: config.retention_days_traces,
    },
    daysMax: config.retention_days_max,
    storedBytesMax: config.telemetry_stored_bytes_max,
    ingestBytesPerSecond: config.ingest_bytes_per_second,
    ingestBytesBurst: config.ingest_bytes_burst,
    checkEveryMs: config.retention_check_ms,
    deleteAfterMs: config.retention_delete_hours * HOUR_MS,
  };
}

async function openIdentity(
  config: Config,
  addresses: Addresses,
  {
    metadata,
    log,
    clock,
    phases,
    schedule,
  }: { metadata: MetadataStore; log: FastifyBaseLogger; clock: GuardedClock; phases: Phases; schedule: Schedule },
): Promise<Identity> {
  const identity = await createIdentity({
    metadata,
    clock,
    dataDir: config.data_dir,
    ...masterKeysOf(config),
    issuer: addresses.identity_url,
    audience: addresses.identity_url,
    outbound: outboundFor("issuer keys", config, clock),
    log,
    schedule,
  });
  phases.started("identity", identity, (part) => part.stop());
  await identity.start();
  return identity;
}
