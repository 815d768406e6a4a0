import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { RunningQueries, RunningQuery } from "#stores/telemetry/index.ts";
import {
  cancelledOn,
  deleteOfNode,
  deleteOfStopped,
  deleteRunning,
  insertRunning,
  setProgress,
  type RunningQueryRow,
} from "./store.ts";

export interface PublishedQueriesDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
  readonly queries: RunningQueries;
  /** The id of this node in the records. */
  readonly nodeId: string;
}

/** Queries that run for at least this long are shown to other nodes, so that short ones cause no write. */
const PUBLISHED_AFTER_MS = 1000;
const EVERY_MS = 1000;
/** A node that was not seen for this long has stopped. */
export const NODE_LIVE_MS = 5000;

/** Tells the other nodes which queries run here, and ends those that another node was asked to cancel. */
export class PublishedQueries {
  readonly #deps: PublishedQueriesDeps;
  readonly #work: ScheduledWork;
  readonly #stopListening: () => void;
  /** Rows of stopped nodes were deleted. */
  #isClean = false;
  readonly #published = new Map<string, RunningQueryRow>();

  constructor(deps: PublishedQueriesDeps) {
    this.#deps = deps;
    const { log, metadata, queries, schedule } = deps;
    this.#work = schedule.add("running queries", {
      everyMs: EVERY_MS,
      run: () => this.#run(),
      failed: (error) => log.warn({ err: error }, "cannot tell the other servers about running queries"),
      onlyAsked: true,
    });
    this.#work.ask(); // the first run deletes what killed nodes left
    queries.onBegin(() => this.#work.ask());
    this.#stopListening = metadata.onNotify("query", () => {
      if (this.#published.size > 0) this.#work.ask(0);
    });
  }

  async stop(): Promise<void> {
    this.#stopListening();
    await this.#work.stop();
    if (this.#published.size > 0) await this.#deps.metadata.write((tx) => deleteOfNode(tx, this.#deps.nodeId));
  }

  async #run(): Promise<void> {
    const { queries, clock, metadata, nodeId } = this.#deps;
    if (!this.#isClean) await metadata.write((tx) => deleteOfStopped(tx, clock.nowMs() - NODE_LIVE_MS));
    this.#isClean = true;
    const all = queries.list();
    if (all.length > 0) this.#work.ask();
    const sinceMs = clock.nowMs() - PUBLISHED_AFTER_MS;
    const shown = all.filter(({ id, askedAtMs }) => this.#published.has(id) || askedAtMs <= sinceMs);
    await this.#publish(shown.map((query) => rowOf(query, nodeId)));
    if (this.#published.size === 0) return;
    for (const { id, by } of await cancelledOn(metadata.read, nodeId)) queries.cancel([id], by);
  }

  async #publish(rows: readonly RunningQueryRow[]): Promise<void> {
    const ids = new Set(rows.map(({ id }) => id));
    const ended = [...this.#published.keys()].filter((id) => !ids.has(id));
    const begun = rows.filter(({ id }) => !this.#published.has(id));
    const changed = rows.filter((row) => {
      const before = this.#published.get(row.id);
      return before !== undefined && (before.state !== row.state || before.bytes_planned !== row.bytes_planned);
    });
    if (ended.length + begun.length + changed.length === 0) return;
    await this.#deps.metadata.write(async (tx) => {
      if (ended.length > 0) await deleteRunning(tx, ended);
      for (const row of begun) await insertRunning(tx, row);
      for (const row of changed) await setProgress(tx, row);
    });
    for (const id of ended) this.#published.delete(id);
    for (const row of [...begun, ...changed]) this.#published.set(row.id, row);
  }
}

function rowOf(query: RunningQuery, nodeId: string): RunningQueryRow {
  const { origin } = query;
  return {
    id: query.id,
    org_id: query.orgId,
    node_id: nodeId,
    actor_kind: origin.actor.kind,
    actor_id: origin.actor.id,
    surface: origin.surface,
    saved_query_id: origin.savedQueryId ?? null,
    request_id: origin.requestId,
    statement: query.sql,
    state: query.state,
    asked_at: query.askedAtMs,
    started_at: query.startedAtMs,
    rows_planned: query.rowsPlanned,
    bytes_planned: query.bytesPlanned,
    cancelled_by: null,
  };
}
