import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { QueryEvent, QueryRequest, RunningQuery, RunningQueries } from "../types.ts";
import type { ChildAsk, ScanFigures } from "./protocol.ts";

/** The longest text of a statement that the list shows. */
const SHOWN_SQL_CHARS_MAX = 16 * 1024;

/** Returns the text of a statement that lists and logs show. */
export function shownSql({ origin, sql }: QueryRequest): string {
  return origin.surface === "erasure" ? "-- counts the rows of an erasure" : sql.slice(0, SHOWN_SQL_CHARS_MAX);
}

/** A query from its request to its end. */
export class RegisteredQuery {
  readonly id: string;
  readonly request: QueryRequest;
  readonly askedAtMs: number;
  readonly #cancelling = new AbortController();
  /** Null while it waits for a slot. */
  startedAtMs: number | null = null;
  waitedMs: number | null = null;
  /** A child has got it. */
  isBegun = false;
  /** Null until its files are known. */
  figures: ScanFigures | null = null;
  /** The tables of the statement, with the times that it selects. */
  asked: ChildAsk = { tables: {} };
  /** The actor that cancelled it. */
  cancelledBy: string | null = null;

  constructor(request: QueryRequest, nowMs: number) {
    this.id = newId("stmt", nowMs);
    this.request = request;
    this.askedAtMs = nowMs;
  }

  /** Aborted, with a `query_cancelled`, when somebody cancels the query. */
  get cancelled(): AbortSignal {
    return this.#cancelling.signal;
  }

  cancel(actorId: string): void {
    this.cancelledBy ??= actorId;
    this.#cancelling.abort(
      new Problem("query_cancelled", "the query was cancelled by its author or by somebody who manages queries"),
    );
  }

  shown(): RunningQuery {
    const { orgId, origin } = this.request;
    return {
      id: this.id,
      orgId,
      origin,
      sql: shownSql(this.request),
      state: this.startedAtMs === null ? "waiting" : "running",
      askedAtMs: this.askedAtMs,
      startedAtMs: this.startedAtMs,
      rowsPlanned: this.figures?.rows ?? null,
      bytesPlanned: this.figures?.bytes ?? null,
    };
  }
}

/** The queries that wait or run in this process. */
export class QueryRegistry implements RunningQueries {
  readonly #clock: Clock;
  readonly #queries = new Map<string, RegisteredQuery>();
  readonly #listeners: (() => void)[] = [];
  readonly #endListeners: ((event: QueryEvent) => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(request: QueryRequest): RegisteredQuery {
    const query = new RegisteredQuery(request, this.#clock.nowMs());
    this.#queries.set(query.id, query);
    for (const listener of this.#listeners) listener();
    return query;
  }

  /** Does nothing if the query had ended before. */
  end(query: RegisteredQuery, event: () => QueryEvent): void {
    if (!this.#queries.delete(query.id)) return;
    const ended = event();
    for (const listener of this.#endListeners) listener(ended);
  }

  onEnd(listener: (event: QueryEvent) => void): void {
    this.#endListeners.push(listener);
  }

  onBegin(listener: () => void): void {
    this.#listeners.push(listener);
  }

  list(orgId?: string): RunningQuery[] {
    const all = [...this.#queries.values()].filter(({ request }) => orgId === undefined || request.orgId === orgId);
    return all.map((query) => query.shown());
  }

  cancel(ids: readonly string[], by: string): string[] {
    const found = ids.flatMap((id) => this.#queries.get(id) ?? []);
    for (const query of found) query.cancel(by);
    return found.map(({ id }) => id);
  }
}
