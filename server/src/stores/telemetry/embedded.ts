import type { GuardedClock } from "#kernel/deletions.ts";
import { Problem } from "#kernel/problem.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { CompactionRunner } from "./compaction/protocol.ts";
import type { TelemetryStore } from "./types.ts";
import { layoutOf } from "./layout.ts";
import { createQueryEngine, defaultQuerySettings, type QueryEngine, type SandboxLayer } from "./query/index.ts";
import { RecordFiles, type RecordSources } from "./records/index.ts";
import type { RetentionSettings } from "./retention/index.ts";
import { Presence } from "./presence/index.ts";
import { openRows, type RowStore } from "./rows.ts";
import { TELEMETRY_DEFAULTS, type TelemetryLog, type TelemetrySettings } from "./settings.ts";

/** The operator's settings; `TELEMETRY_DEFAULTS` and `defaultQuerySettings` have the rest. */
export interface TelemetryStoreSettings {
  /** Rows of an organization and type that are worth a Parquet file, in bytes of NDJSON. */
  readonly compactionRowsBytes: number;
  /** Longest time that rows stay out of Parquet. */
  readonly compactionIntervalMs: number;
  readonly queryConcurrency: number;
  readonly queryConcurrencyOrganization: number;
  /** Memory that one query may use; the limits of its process follow from it. */
  readonly queryMemoryBytes?: number;
  /** The behaviour without a layer of the sandbox; "warn" when absent. */
  readonly querySandbox?: "require" | "warn" | "off";
  /** `RETENTION_DEFAULTS` for absent members. */
  readonly retention?: Partial<RetentionSettings>;
}

export interface TelemetryOptions {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: TelemetryLog;
  readonly settings: TelemetryStoreSettings;
  /** Makes Parquet; by default in a separate process. */
  readonly runner?: CompactionRunner;
  /** Where the rows of tables come from that are no telemetry; one without a source is not served. */
  readonly records?: RecordSources;
  /** Its list has the work on telemetry. */
  readonly schedule: Schedule;
  /** Other servers may share the records: what this one alone can't know is refused. */
  readonly hasPeers?: boolean;
}

/**
 * Opens the embedded telemetry store: everything under `<dataDir>/telemetry`, the manifest in the metadata store.
 * @throws Error when another process has the directory open, or a file can't be read
 */
export async function openTelemetry(options: TelemetryOptions): Promise<TelemetryStore> {
  const { dataDir, log, clock, settings } = options;
  const rows = await openRows({ ...options, settings: rowSettings(settings) });
  const records = await openRecords(options).catch(async (error: unknown) => {
    await rows.close();
    throw error;
  });
  const presence = options.hasPeers === true ? await beginPresence(options, rows) : undefined;
  const engine = createQueryEngine({
    whole: async (orgId) => presence?.requireWhole(orgId),
    snapshot: (orgId, wanted) => rows.snapshot(orgId, wanted),
    asked: (orgId, type, keys) => rows.noteAsked(orgId, type, keys),
    records: (orgId, table) => records.snapshot(orgId, table),
    settings: {
      ...defaultQuerySettings(layoutOf(dataDir).root),
      dataDir,
      isolation: settings.querySandbox === "off" ? "limits" : "auto",
      concurrentMax: settings.queryConcurrency,
      concurrentPerOrgMax: settings.queryConcurrencyOrganization,
      ...(settings.queryMemoryBytes === undefined ? {} : { memoryBytesMax: settings.queryMemoryBytes }),
    },
    log,
    clock,
  });
  const sandbox = settings.querySandbox ?? "warn";
  if (sandbox !== "off")
    warnOfMissing(engine, log).catch((error: unknown) =>
      log.error({ err: error }, "cannot look at the sandbox of queries"),
    );
  return {
    append: async (batch) => {
      await presence?.announce(batch.orgId);
      return rows.append(batch);
    },
    requireWhole: async (orgId) => presence?.requireWhole(orgId),
    requireWholeLately: async (orgId) => presence?.requireWholeLately(orgId),
    feed: rows.feed,
    admit: (orgId) => rows.lifecycle.quotas.admit(orgId),
    notBefore: (orgId, type) => rows.lifecycle.notBefore(orgId, type),
    policy: (orgId) => rows.lifecycle.policy(orgId),
    usage: (orgId) => rows.lifecycle.usage(orgId),
    refresh: () => rows.lifecycle.refresh(),
    query: async (request) => {
      if (sandbox === "require") requireLayers(await engine.sandbox());
      return engine.query(request);
    },
    sandbox: () => engine.sandbox(),
    died: rows.died,
    health: () => ({ ...rows.health(), queriesRunning: engine.running() }),
    close: async () => {
      await engine.close();
      await rows.close();
      await presence?.stop();
    },
  };
}

async function warnOfMissing(engine: QueryEngine, log: TelemetryLog): Promise<void> {
  for (const { name, detail } of await missingLayers(engine.sandbox()))
    log.warn({ layer: name, detail }, "SQL runs without a layer of its sandbox");
}

async function missingLayers(layers: Promise<readonly SandboxLayer[]>): Promise<readonly SandboxLayer[]> {
  return (await layers).filter(({ active }) => !active);
}

function requireLayers(layers: readonly SandboxLayer[]): void {
  const missing = layers.filter(({ active }) => !active).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new Problem(
    "sandbox_missing",
    `SQL is refused: this server lacks layers of the sandbox of queries (${missing.join(", ")}), and query_sandbox is require. mooring doctor says what to install or allow; with query_sandbox=warn SQL runs without them.`,
  );
}

async function beginPresence({ metadata, log, schedule }: TelemetryOptions, rows: RowStore): Promise<Presence> {
  const presence = new Presence({ metadata, log, schedule, storeId: rows.storeId });
  try {
    await presence.start(rows.organizations());
    return presence;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

function openRecords({ dataDir, log, records = {} }: TelemetryOptions): Promise<RecordFiles> {
  return RecordFiles.open({
    dir: layoutOf(dataDir).records,
    sources: records,
    deleteFailed: (path, error) => log.warn({ err: error, path }, "cannot delete a file of records"),
    rowFailed: (row, error) => log.warn({ err: error, ...row }, "cannot read a record for queries"),
  });
}

function rowSettings(settings: TelemetryStoreSettings): TelemetrySettings {
  const compaction = {
    ...TELEMETRY_DEFAULTS.compaction,
    hotBytes: settings.compactionRowsBytes,
    ageMs: settings.compactionIntervalMs,
  };
  return { ...TELEMETRY_DEFAULTS, compaction, retention: { ...TELEMETRY_DEFAULTS.retention, ...settings.retention } };
}
