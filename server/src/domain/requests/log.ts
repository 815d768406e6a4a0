import type { RefusedRequest } from "#kernel/refusal.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { Budget } from "./budget.ts";
import { recordOf, type RequestRecord } from "./record.ts";
import { insertRequests, type Found, type Reach, type RepeatRow, type RequestRow } from "./store.ts";

export interface RefusedRequestsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const FLUSH_MS = 1_000;
const MINUTE_MS = 60_000;
const NEWEST_MAX = 5_000;
/** Requests that wait for the database. Beyond it, new ones are lost. */
const WAITING_MAX = 20_000;
/** Kinds of refusals whose repetitions are recognized. */
const GROUPS_MAX = 10_000;
const STATEMENT_ROWS = 200;
/** The ids and index entries of a row, about. */
const ROW_BYTES = 250;
/** One of this many requests without a known caller is kept. */
const UNKNOWN_ONE_OF = 100;

interface Kept {
  readonly row: RequestRow;
  readonly repeat: RepeatRow | undefined;
}

/**
 * Keeps refused requests: in memory at once, and in the records within a second. It never makes a request wait or fail.
 * Floods can't fill the records: equal refusals of a minute share one row, and each organization has a budget.
 */
export class RefusedRequests {
  readonly #deps: RefusedRequestsDeps;
  readonly #writing: ScheduledWork;
  readonly #budget: Budget;
  /** The newest requests by id, oldest first. */
  readonly #newest = new Map<string, Kept>();
  /** The first request of each kind, for a minute. */
  readonly #groups = new Map<string, RequestRow>();
  #waiting: Kept[] = [];
  #unknown = 0;
  #lost = 0;

  constructor(deps: RefusedRequestsDeps) {
    this.#deps = deps;
    this.#budget = new Budget(deps.clock);
    this.#writing = deps.schedule.add("refused requests", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => {
        deps.log.warn({ err: error, waiting: this.#waiting.length }, "cannot save refused requests");
        if (this.#waiting.length > 0) this.#writing.ask();
      },
      onlyAsked: true,
    });
  }

  /** Keeps a refused request, and returns its record. */
  note(refused: RefusedRequest): RequestRecord {
    const record = recordOf(refused);
    const { actor, namedOrgId } = record;
    if (actor === null && namedOrgId === null && this.#unknown++ % UNKNOWN_ONE_OF > 0) return record;
    const isInBudget =
      actor === null && namedOrgId !== null
        ? this.#budget.takeNamed(namedOrgId)
        : this.#budget.take(actor?.orgId ?? "");
    if (this.#waiting.length >= WAITING_MAX || !isInBudget) this.#lose();
    else this.#keep(this.#keptOf(refused, record));
    return record;
  }

  /** Returns the requests in memory with the server's or the caller's id, newest first. */
  find({ orgId, actorId, all }: Reach, id: string): Found[] {
    const isReached = ({ row }: Kept): boolean =>
      (row.actor_id === actorId && (row.org_id === orgId || row.org_id === "")) || (all && row.org_id === orgId);
    const exact = this.#newest.get(id);
    const byCaller = [...this.#newest.values()].filter((kept) => (kept.repeat ?? kept.row).client_id === id);
    const found = [...(exact === undefined ? [] : [exact]), ...byCaller].filter(isReached);
    return found.toReversed().map(({ row, repeat }) => {
      const { id: own, at, client_id } = repeat ?? row;
      return { id: own, at, client_id, record: row.record, group: row.id };
    });
  }

  /** Writes the waiting requests. */
  async flush(): Promise<void> {
    this.#forgetGroups();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, STATEMENT_ROWS);
      const rows = batch.filter(({ repeat }) => repeat === undefined).map(({ row }) => row);
      const repeats = batch.flatMap(({ repeat }) => repeat ?? []);
      await this.#deps.metadata.write(async (tx) => insertRequests(tx, rows, repeats));
      this.#waiting = this.#waiting.slice(batch.length);
    }
    if (this.#lost === 0) return;
    this.#deps.log.warn({ lost: this.#lost }, "more requests were refused than are kept");
    this.#lost = 0;
  }

  /** Writes what it can. A missing database must not block the rest of the stop. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "cannot save the last refused requests"),
    );
  }

  #keptOf({ id, clientId, atMs }: RefusedRequest, record: RequestRecord): Kept {
    const key = keyOf(record);
    const first = this.#groups.get(key);
    if (first !== undefined && atMs - first.at < MINUTE_MS && atMs >= first.at)
      return { row: first, repeat: { id, request_id: first.id, org_id: first.org_id, client_id: clientId, at: atMs } };
    const text = JSON.stringify(record);
    const { actor, namedOrgId } = record;
    const row: RequestRow = {
      id,
      org_id: actor?.orgId ?? namedOrgId ?? "",
      client_id: clientId,
      actor_id: actor?.id ?? "",
      at: atMs,
      bytes: text.length + ROW_BYTES,
      record: text,
    };
    if (this.#groups.size < GROUPS_MAX) this.#groups.set(key, row);
    return { row, repeat: undefined };
  }

  #keep(kept: Kept): void {
    this.#waiting.push(kept);
    this.#newest.set((kept.repeat ?? kept.row).id, kept);
    if (this.#newest.size > NEWEST_MAX) {
      const oldest = this.#newest.keys().next();
      if (oldest.done !== true) this.#newest.delete(oldest.value);
    }
    this.#writing.ask();
  }

  #lose(): void {
    this.#lost += 1;
    this.#writing.ask();
  }

  #forgetGroups(): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const [key, { at }] of this.#groups) if (Math.abs(nowMs - at) >= MINUTE_MS) this.#groups.delete(key);
  }
}

/** Requests with the same key within a minute have the same explanation. */
function keyOf(record: RequestRecord): string {
  const { actor, ip, rule, code, method, operation, permission, resource, detail } = record;
  return JSON.stringify([actor, ip, rule, code, method, operation, permission, resource, detail]);
}
