import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { QueryRequest, QueryRun } from "../index.ts";
import type { Snapshot } from "../snapshot.ts";
import { ProcessPool } from "./pool.ts";
import type { QueryProcess } from "./process.ts";
import type { ChildQuery } from "./protocol.ts";
import { Run, type RunOutcome } from "./run.ts";
import { probeSandbox, type SandboxLayer } from "./sandbox.ts";
import type { QueryEngineSettings, QueryLog } from "./settings.ts";
import { Slots } from "./slots.ts";

export interface QueryEngineOptions {
  /** The files of one organization at the moment of the call. */
  readonly snapshot: (orgId: string) => Promise<Snapshot>;
  readonly settings: QueryEngineSettings;
  readonly log: QueryLog;
  readonly clock: Clock;
}

export interface QueryEngine {
  /**
   * Runs one statement in a sandboxed child. What can fail before the first byte is thrown; what fails later is told
   * in the body (see README, "Errors after the first byte").
   *
   * @throws Problem `invalid_sql`, `sql_not_allowed`, `invalid_parameter`, `query_failed`, `query_timeout`, `query_memory`,
   * `query_too_large`, `rate_limited`, `unavailable`
   */
  query(request: QueryRequest): Promise<QueryRun>;
  /** Queries that hold a place. */
  running(): number;
  /** What holds the children on this machine, for `doctor`. */
  sandbox(): Promise<readonly SandboxLayer[]>;
  /** Cancels what runs and ends every child. */
  close(): Promise<void>;
}

/** Makes the engine. It starts its spare children at once. */
export function createQueryEngine({ snapshot, settings, log, clock }: QueryEngineOptions): QueryEngine {
  const slots = new Slots(settings);
  const closing = new AbortController();
  const sandbox = probeSandbox(settings);
  const pool = sandbox.then((found) => new ProcessPool(found, settings, log));
  pool.catch((error: unknown) => {
    log.error({ err: error }, "the query engine can't start");
  });

  async function query(request: QueryRequest): Promise<QueryRun> {
    if (closing.signal.aborted) throw new Problem("unavailable", "the service is stopping");
    const signal = AbortSignal.any([request.signal, closing.signal]);
    const held: (() => void)[] = [await slots.acquire(request.orgId, signal)];
    const letGo = (): void => {
      for (const each of held.splice(0)) each();
    };
    try {
      const files = await snapshot(request.orgId);
      held.push(() => {
        files.release();
      });
      const children = await readyPool();
      const child = await acquireChild(children, request.orgId);
      held.push(() => {
        children.release(child, false);
      });
      signal.throwIfAborted();
      held.pop(); // from here on the run gives it back
      return await start(child, children, childQuery(request, files, settings), signal, held.splice(0));
    } finally {
      letGo(); // nothing is left once the run has begun
    }
  }

  function readyPool(): Promise<ProcessPool> {
    return pool.catch(() => {
      throw new Problem("unavailable", "queries can't be run now; tell the operator");
    });
  }

  async function acquireChild(children: ProcessPool, orgId: string): Promise<QueryProcess> {
    try {
      return await children.acquire(orgId);
    } catch (error) {
      log.error({ err: error }, "a query process could not be started");
      throw new Problem("unavailable", "queries can't be run now; try again, and tell the operator if it goes on");
    }
  }

  function start(child: QueryProcess, children: ProcessPool, query: ChildQuery, signal: AbortSignal, held: readonly (() => void)[]): Promise<QueryRun> {
    const startedMs = clock.nowMs();
    const done = (outcome: RunOutcome): void => {
      for (const each of held) each();
      children.release(child, outcome.doubt);
      log.info({ orgId: query.orgId, durationMs: clock.nowMs() - startedMs, ...outcome }, "query done");
    };
    return new Run(child, query, settings, signal, done).start();
  }

  return {
    query,
    running: () => slots.running,
    sandbox: async () => (await sandbox).layers,
    close: async () => {
      closing.abort(new Problem("unavailable", "the service is stopping"));
      const children = await pool.catch(() => undefined);
      await children?.close();
    },
  };
}

function childQuery(request: QueryRequest, files: Snapshot, settings: QueryEngineSettings): ChildQuery {
  return {
    orgId: request.orgId,
    sql: request.sql,
    parameters: request.parameters,
    format: request.format,
    visible: request.visible,
    rowsMax: request.rowsMax,
    truncate: request.truncate,
    timeoutMs: request.timeoutMs,
    memoryBytesMax: Math.min(request.memoryBytesMax, settings.memoryBytesMax),
    resultBytesMax: settings.resultBytesMax,
    files: files.tables,
  };
}
