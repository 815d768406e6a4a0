import type { GuardedClock } from "#kernel/deletions.ts";
import { Problem } from "#kernel/problem.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { TELEMETRY_TYPES } from "./columns.ts";
import type { CompactionRunner } from "./compaction/protocol.ts";
import type { TelemetryStore } from "./types.ts";
import { layoutOf } from "./layout.ts";
import {
  createQueryEngine,
  defaultQuerySettings,
  type QueryEngine,
  type QueryEngineSettings,
  type SandboxLayer,
} from "./query/index.ts";
import { recordEraser, type RemoveRecords } from "./record-eraser.ts";
import { RecordFiles, type RecordSources } from "./records/index.ts";
import type { EraseRecords, RetentionSettings } from "./retention/index.ts";
import { Presence } from "./presence/index.ts";
import { openRows, type RowStore, type RowStoreOptions } from "./rows.ts";
import { bootId, recordGap, Spool, SPOOL_DEFAULTS } from "./spool/index.ts";
import { isOfServer, isSpoolTable } from "./spool/tables.ts";
import { TELEMETRY_DEFAULTS, type TelemetryLog, type TelemetrySettings } from "./settings.ts";

/** The operator's settings. `TELEMETRY_DEFAULTS` and `defaultQuerySettings` have the others. */
export interface TelemetryStoreSettings {
  /** Bytes of NDJSON at which the rows of an organization and type become a Parquet file. */
  readonly compactionRowsBytes: number;
  /** The longest time that rows wait before they become Parquet. */
  readonly compactionIntervalMs: number;
  readonly queryConcurrency: number;
  readonly queryConcurrencyOrganization: number;
  /** Null: half of the queries of an organization. */
  readonly queryConcurrencyActor?: number | null;
  readonly queryWaitingOrganization?: number;
  readonly queryWaitingActor?: number;
  readonly queryWaitMs?: number;
  /** Null: no limit. */
  readonly queryScanBytesMax?: number | null;
  readonly queryScanBytesPerDayActor?: number | null;
  /** The memory that one query may use. The limits of its process are derived from it. */
  readonly queryMemoryBytes?: number;
  /** What to do when a layer of the sandbox is missing. Default: "warn". */
  readonly querySandbox?: "require" | "warn" | "off";
  /** The defaults are in `RETENTION_DEFAULTS`. */
  readonly retention?: Partial<RetentionSettings>;
}

export interface TelemetryOptions {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: TelemetryLog;
  readonly settings: TelemetryStoreSettings;
  /** Writes Parquet files. Default: in a separate process. */
  readonly runner?: CompactionRunner;
  /** The sources of tables whose rows are not telemetry. A table without a source cannot be queried. */
  readonly records?: RecordSources;
  /** Deletes events of webhooks. Without it they can't be erased. */
  readonly removeRecords?: RemoveRecords;
  /** The schedule that runs the store's periodic work. */
  readonly schedule: Schedule;
  /**
   * True if other servers may share the metadata database. Queries that this server alone cannot answer are then refused.
   */
  readonly hasPeers?: boolean;
  /** The organizations whose rows must stay now, also those past their retention. Default: none. */
  readonly kept?: () => Promise<ReadonlySet<string>>;
  readonly metrics?: Metrics;
}

/**
 * Opens the embedded telemetry store. Its data is under `<dataDir>/telemetry`, its manifest in the metadata store.
 * @throws Error when another process has the directory open, or a file can't be read
 */
export async function openTelemetry(options: TelemetryOptions): Promise<TelemetryStore> {
  const { dataDir, log, clock, settings } = options;
  const opened: Opened = {};
  const rows = await openRows({ ...options, settings: rowSettings(settings), ...laterParts(opened) });
  const records = await openRecords(options).catch(async (error: unknown) => {
    await rows.close();
    throw error;
  });
  const presence = options.hasPeers === true ? await beginPresence(options, rows) : undefined;
  const spool = (opened.spool = await openSpool(options, rows, presence));
  const engine = createQueryEngine({
    whole: async (orgId) => presence?.requireWhole(orgId),
    snapshot: async (orgId, wanted) => {
      if (Object.keys(wanted).some(isSpoolTable)) await drained(spool);
      return rows.snapshot(orgId, wanted);
    },
    asked: (orgId, type, keys) => rows.noteAsked(orgId, type, keys),
    records: (orgId, table) => records.snapshot(orgId, table),
    settings: querySettingsOf(dataDir, settings),
    log,
    clock,
  });
  const forget: TelemetryStore["forgetRecords"] = (table) => records.forget(table);
  const eraser = { query: engine.query.bind(engine), forget, remove: options.removeRecords };
  opened.eraseRecords = recordEraser(eraser);
  const sandbox = settings.querySandbox ?? "warn";
  if (sandbox !== "off")
    warnOfMissing(engine, log).catch((error: unknown) =>
      log.error({ err: error }, "cannot examine the sandbox of queries"),
    );
  return {
    append: countedAppend(rows, presence, options.metrics),
    requireWhole: async (orgId) => presence?.requireWhole(orgId),
    requireWholeLately: async (orgId) => presence?.requireWholeLately(orgId),
    feed: rows.feed,
    record: (table, orgId, row) => spool.record(table, orgId, row),
    admit: (orgId) => rows.lifecycle.quotas.admit(orgId),
    acceptedTimes: (orgId, type) => rows.lifecycle.acceptedTimes(orgId, type),
    policy: (orgId) => rows.lifecycle.policy(orgId),
    pastSql: (type, choice) => rows.lifecycle.pastSql(type, choice),
    usage: (orgId) => rows.lifecycle.usage(orgId),
    refresh: () => rows.lifecycle.refresh(),
    arrive: (orgId, files, copied) => rows.arrive(orgId, files, copied),
    forgetRecords: forget,
    query: async (request) => {
      if (sandbox === "require") requireLayers(await engine.sandbox());
      return engine.query(request);
    },
    queries: engine.queries,
    sandbox: () => engine.sandbox(),
    died: rows.died,
    health: () => ({
      ...rows.health(),
      queriesRunning: engine.running(),
      queriesWaiting: engine.waiting(),
      spool: spool.figures(),
    }),
    probe: () => rows.probe(),
    close: async () => {
      await engine.close();
      await spool.close();
      await rows.close();
      await presence?.stop();
    },
  };
}

interface Opened {
  spool?: Spool;
  eraseRecords?: EraseRecords;
}

/** The parts of erasures that are opened after the rows. */
function laterParts(opened: Opened): Pick<RowStoreOptions, "beforeSettle" | "eraseRecords"> {
  return {
    beforeSettle: async () => opened.spool?.drain(),
    eraseRecords: async (...of) => {
      if (opened.eraseRecords === undefined) throw new Error("cannot erase records before the store is open");
      await opened.eraseRecords(...of);
    },
  };
}

function querySettingsOf(dataDir: string, settings: TelemetryStoreSettings): QueryEngineSettings {
  const defaults = defaultQuerySettings(layoutOf(dataDir).root);
  return {
    ...defaults,
    dataDir,
    isolation: settings.querySandbox === "off" ? "limits" : "auto",
    concurrentMax: settings.queryConcurrency,
    concurrentPerOrgMax: settings.queryConcurrencyOrganization,
    concurrentPerActorMax: settings.queryConcurrencyActor ?? null,
    queuePerOrgMax: settings.queryWaitingOrganization ?? defaults.queuePerOrgMax,
    queuePerActorMax: settings.queryWaitingActor ?? defaults.queuePerActorMax,
    queueTimeoutMs: settings.queryWaitMs ?? defaults.queueTimeoutMs,
    scanBytesMax: settings.queryScanBytesMax === undefined ? defaults.scanBytesMax : settings.queryScanBytesMax,
    scanBytesPerDayMax: settings.queryScanBytesPerDayActor ?? null,
    ...(settings.queryMemoryBytes === undefined ? {} : { memoryBytesMax: settings.queryMemoryBytes }),
  };
}

/** Returns the function that stores a batch and counts its rows. */
function countedAppend(
  rows: RowStore,
  presence: Presence | undefined,
  metrics: Metrics | undefined,
): TelemetryStore["append"] {
  const accepted = metrics?.counter("mooring_ingest_rows_total");
  const bytes = metrics?.counter("mooring_ingest_bytes_total");
  return async (batch) => {
    // A batch without rows, which rules may have removed, leaves nothing in this directory.
    if (batch.count > 0) await presence?.announce(batch.orgId);
    const appended = await rows.append(batch);
    const type = TELEMETRY_TYPES.find((each) => each === batch.type);
    if (type !== undefined && !appended.replayed) {
      accepted?.inc({ type }, appended.accepted);
      bytes?.inc({ type }, batch.rows.length);
    }
    return appended;
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
    `SQL is refused: the query sandbox of this server lacks layers (${missing.join(", ")}), and query_sandbox is require. mooring doctor says what to install or allow; with query_sandbox=warn SQL runs without them.`,
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

/** Opens the spool, and records the time for which rows are missing after a power cut. */
async function openSpool(options: TelemetryOptions, rows: RowStore, presence: Presence | undefined): Promise<Spool> {
  const { dataDir, clock, log, schedule } = options;
  try {
    const { spool, gap } = await Spool.open({
      dir: layoutOf(dataDir).spool,
      node: rows.storeId,
      boot: await bootId(),
      settings: { ...SPOOL_DEFAULTS, diskFreeBytesMin: TELEMETRY_DEFAULTS.diskFreeBytesMin },
      append: async (group, piece) => {
        if (!isOfServer(group.table)) await presence?.announce(group.orgId);
        await rows.appendSpooled(group, piece);
      },
      has: (group, piece) => rows.hasSpooled(group, piece),
      schedule,
      clock,
      log,
    });
    if (gap !== undefined) recordGap(spool, gap, rows);
    return spool;
  } catch (error) {
    await rows.close();
    await presence?.stop();
    throw error;
  }
}

/** Makes all rows of the spool readable. @throws Problem `unavailable` */
async function drained(spool: Spool): Promise<void> {
  try {
    await spool.drain();
  } catch (cause) {
    const detail = "cannot read the newest rows: they can't be moved to the log of telemetry now; try again later";
    throw new Problem("unavailable", detail, { retryAfterS: 5, cause });
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
