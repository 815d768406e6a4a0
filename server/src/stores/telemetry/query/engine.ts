import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "../columns.ts";
import type { QueryRequest, QueryRun, RunningQueries } from "../types.ts";
import { RECORD_TABLE_NAMES, type RecordSnapshot, type RecordTable } from "../records/index.ts";
import { isOfServer, SPOOL_TABLE_NAMES, type SpoolTable } from "../spool/tables.ts";
import type { Snapshot, SnapshotTable, WantedTables } from "../snapshot.ts";
import { endedEvent, unstartedEvent, type EndedRun } from "./event.ts";
import { childFiles, wantedTables } from "./files.ts";
import { ProcessPool } from "./pool.ts";
import type { QueryProcess } from "./process.ts";
import type { ChildAsk, ChildFiles, ChildQuery } from "./protocol.ts";
import { LostChild, Run, type RunOutcome } from "./run.ts";
import { probeSandbox, type Sandbox, type SandboxLayer } from "./sandbox.ts";
import { QueryRegistry, type RegisteredQuery } from "./registry.ts";
import { isScanned, ScanBudget } from "./scan-budget.ts";
import type { QueryEngineSettings, QueryLog } from "./settings.ts";
import { Slots, type Slot } from "./slots.ts";
import { QUERY_TABLES } from "./tables.ts";

export interface QueryEngineOptions {
  /** Returns the files of one organization at this moment, for the wanted tables and times. */
  readonly snapshot: (orgId: string, wanted: WantedTables) => Promise<Snapshot>;
  /** @throws Problem when this server can't read every row of the organization */
  readonly whole?: (orgId: string) => Promise<void>;
  /** Called with the attributes of a table that a statement reads as text. */
  readonly asked?: (orgId: string, type: TelemetryType, keys: readonly string[]) => void;
  /** Returns an organization's rows in a table of records, as files. Without it there are no records. */
  readonly records?: (orgId: string, table: RecordTable) => Promise<RecordSnapshot>;
  readonly settings: QueryEngineSettings;
  readonly log: QueryLog;
  readonly clock: Clock;
}

export interface QueryEngine {
  /**
   * Runs one statement in a sandboxed child. A failure before the first byte is thrown. A later failure is part of the body
   * (see README, "Errors after the first byte").
   * @throws Problem `invalid_sql`, `sql_not_allowed`, `invalid_parameter`, `query_failed`, `query_timeout`, `query_memory`,
   * `query_cancelled`, `query_too_large`, `rate_limited`, `unavailable`
   */
  query(request: QueryRequest): Promise<QueryRun>;
  /** The queries that wait or run. */
  readonly queries: RunningQueries;
  /** Number of queries that hold a slot. */
  running(): number;
  /** Number of queries that wait for a slot. */
  waiting(): number;
  /** The layers of the sandbox on this machine, for `doctor`. */
  sandbox(): Promise<readonly SandboxLayer[]>;
  /** Cancels running queries and ends every child. */
  close(): Promise<void>;
}

/** Creates the engine. It starts its spare children at once. */
export function createQueryEngine(options: QueryEngineOptions): QueryEngine {
  return new Engine(options);
}

class Engine implements QueryEngine {
  readonly queries: QueryRegistry;
  readonly #options: QueryEngineOptions;
  readonly #slots: Slots;
  readonly #budget: ScanBudget;
  readonly #closing = new AbortController();
  readonly #sandbox: Promise<Sandbox>;
  readonly #pool: Promise<ProcessPool>;

  constructor(options: QueryEngineOptions) {
    const { settings, log } = options;
    this.#options = options;
    this.queries = new QueryRegistry(options.clock);
    this.#slots = new Slots(settings);
    this.#budget = new ScanBudget(settings, options.clock);
    this.#sandbox = probeSandbox(settings);
    this.#pool = this.#sandbox.then((found) => new ProcessPool(found, settings, log));
    this.#pool.catch((error: unknown) => {
      log.error({ err: error }, "the query engine can't start");
    });
  }

  async query(request: QueryRequest): Promise<QueryRun> {
    const query = this.queries.begin(request);
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    try {
      return await this.#attempt(query, signal).catch((error: unknown) => {
        if (!(error instanceof LostChild)) throw error;
        return this.#attempt(query, signal); // the child ended while it was idle
      });
    } catch (error) {
      // A query that a child has begun is reported when the child has ended it.
      if (!query.isBegun || error instanceof LostChild)
        this.queries.end(query, () => unstartedEvent(this.#endedNow(query), error));
      throw error;
    }
  }

  async #attempt(query: RegisteredQuery, signal: AbortSignal): Promise<QueryRun> {
    if (this.#closing.signal.aborted) throw stopping();
    const { orgId, origin } = query.request;
    const both = AbortSignal.any([signal, query.cancelled]);
    const { actor, surface } = origin;
    const slot = await this.#slots.acquire({
      orgId,
      actorId: actor.id,
      isBackground: surface === "alert",
      signal: both,
    });
    const held: (() => void)[] = [() => slot.release()];
    try {
      query.startedAtMs = this.#options.clock.nowMs();
      query.waitedMs = slot.waitedMs;
      const child = await this.#acquire(orgId);
      held.push(() => void this.#release(child, false));
      both.throwIfAborted();
      held.pop(); // the run releases the child from now on
      held.pop(); // and the slot
      return await this.#start(child, query, { signal, slot });
    } finally {
      for (const each of held) each(); // empty after the run has begun
    }
  }

  running(): number {
    return this.#slots.running;
  }

  waiting(): number {
    return this.#slots.waiting;
  }

  async sandbox(): Promise<readonly SandboxLayer[]> {
    return (await this.#sandbox).layers;
  }

  async close(): Promise<void> {
    this.#closing.abort(stopping());
    const pool = await this.#pool.catch(() => undefined);
    await pool?.close();
  }

  async #acquire(orgId: string): Promise<QueryProcess> {
    try {
      return await (await this.#pool).acquire(orgId);
    } catch (error) {
      if (this.#closing.signal.aborted) throw stopping();
      this.#options.log.error({ err: error }, "a query process could not be started");
      throw new Problem("unavailable", "queries can't be run now; try again, and tell the operator if this continues");
    }
  }

  async #release(child: QueryProcess, doubt: boolean): Promise<void> {
    (await this.#pool).release(child, doubt);
  }

  #start(child: QueryProcess, query: RegisteredQuery, held: { signal: AbortSignal; slot: Slot }): Promise<QueryRun> {
    const { settings, clock, log } = this.#options;
    const { request } = query;
    const startedMs = clock.nowMs();
    query.isBegun = true;
    const files = new HeldFiles();
    const onDone = (outcome: RunOutcome): void => {
      files.release();
      held.slot.release();
      if (!outcome.lost) this.queries.end(query, () => endedEvent(this.#endedNow(query), outcome));
      void this.#release(child, outcome.doubt || outcome.isLowered);
      const { code, rows, truncated, peakBytes, doubt } = outcome;
      const fields = { code, rows, truncated, peak_bytes: peakBytes, doubt };
      const level = code === "ok" ? "debug" : "info";
      log[level]({ org_id: request.orgId, duration_ms: clock.nowMs() - startedMs, ...fields }, "query done");
    };
    return new Run(child, {
      query: { ...childQuery(request, settings), threads: held.slot.isShared ? 1 : settings.threads },
      settings,
      signal: held.signal,
      cancelled: query.cancelled,
      files: async (ask) => {
        query.asked = ask;
        const chosen = await this.#files(request, ask, files);
        query.figures = chosen.figures;
        return chosen;
      },
      onDone,
      ended: request.ended,
    }).start();
  }

  /**
   * Chooses the files first, then asks which rows are visible. So the second answer knows every project that has rows in the
   * files.
   */
  async #files(request: QueryRequest, ask: ChildAsk, held: HeldFiles): Promise<ChildFiles> {
    const { snapshot, settings, asked, whole } = this.#options;
    const { orgId, range } = request;
    request.reads?.(Object.keys(ask.tables));
    const records = await this.#records(request, ask, held);
    const wanted = wantedTables(ask, range);
    if (request.describe !== true)
      for (const name of SPOOL_TABLE_NAMES) if (Object.hasOwn(wanted, name)) permit(request, name);
    // A statement that is only described reads no row.
    if (request.describe !== true && Object.keys(wanted).some((name) => !isOfServer(name))) await whole?.(orgId);
    const files = await snapshot(orgId, wanted);
    held.hold(files);
    if (request.describe !== true && request.explain !== "plan" && request.origin.surface !== "erasure")
      this.#spend(request, ask, { ...files.tables, ...records });
    const visible = typeof request.visible === "function" ? await request.visible() : request.visible;
    for (const type of TELEMETRY_TYPES) {
      const keys = ask.tables[type]?.keys ?? [];
      if (keys.length > 0) asked?.(orgId, type, keys);
    }
    const isByActor = QUERY_TABLES.some(
      (table) => table.actorColumn !== undefined && Object.hasOwn(wanted, table.name),
    );
    const onlyActor = isByActor && request.seesAllQueries !== true ? request.origin.actor.id : undefined;
    const shown = { directory: settings.telemetryDir, visible, onlyActor, range };
    return childFiles({ ...files.tables, ...records }, ask, shown);
  }

  /** @throws Problem `query_scan_limit` */
  #spend(request: QueryRequest, ask: ChildAsk, tables: Readonly<Record<string, SnapshotTable>>): void {
    let bytes = 0;
    for (const [name, { parquet, hot }] of Object.entries(tables))
      if (isScanned(ask, name)) for (const file of [...parquet, ...hot]) bytes += file.bytes;
    this.#budget.spend(request, bytes);
  }

  #endedNow(query: RegisteredQuery): EndedRun {
    return { query, nowMs: this.#options.clock.nowMs() };
  }

  /**
   * Returns the records that the statement reads. The child names the tables, and is not trusted. But each table needs the
   * principal's permission.
   */
  async #records(request: QueryRequest, ask: ChildAsk, held: HeldFiles): Promise<Record<string, SnapshotTable>> {
    const tables: Record<string, SnapshotTable> = {};
    for (const name of RECORD_TABLE_NAMES) {
      // A statement that is only described shows no row.
      if (!Object.hasOwn(ask.tables, name) || request.describe === true) continue;
      permit(request, name);
      const files = await this.#options.records?.(request.orgId, name);
      if (files === undefined) continue;
      held.hold(files);
      const { files: hot, unreadable } = files;
      tables[name] = { parquet: [], hot, filesTotal: hot.length, unreadable };
    }
    return tables;
  }
}

/** Requires the principal's permission for a table whose rows are not telemetry. @throws Problem `forbidden` */
function permit({ records }: QueryRequest, name: RecordTable | SpoolTable): void {
  if (records === undefined) throw new Problem("forbidden", `The table ${name} can't be read here.`);
  records(name);
}

/** The open files of a query. They may arrive after the query has ended. */
class HeldFiles {
  #held: Pick<Snapshot, "release">[] = [];
  #over = false;

  hold(files: Pick<Snapshot, "release">): void {
    if (this.#over) files.release();
    else this.#held.push(files);
  }

  release(): void {
    this.#over = true;
    for (const files of this.#held.splice(0)) files.release();
  }
}

function stopping(): Problem {
  return new Problem("unavailable", "the service is stopping");
}

function childQuery(request: QueryRequest, settings: QueryEngineSettings): Omit<ChildQuery, "threads"> {
  return {
    orgId: request.orgId,
    sql: request.sql,
    parameters: request.parameters,
    format: request.format,
    describe: request.describe,
    condition: request.condition,
    explain: request.explain,
    rowsMax: request.rowsMax,
    truncate: request.truncate,
    timeoutMs: request.timeoutMs,
    memoryBytesMax: Math.min(request.memoryBytesMax, settings.memoryBytesMax),
    resultBytesMax: settings.resultBytesMax,
    pruning: settings.pruning,
    promotion: settings.promotion,
  };
}
