import type { Clock } from "#kernel/time.ts";
import type { QueryEvent } from "../types.ts";

/** Enough for a page of the portal, and for the slow queries of a day in most organizations. */
const OF_ORGANIZATION_MAX = 200;
const ALL_MAX = 2000;
const SQL_CHARS_MAX = 4096;
/** A slow query is kept when later fast ones fill the list. */
const SLOW_OF_ORGANIZATION_MAX = 100;
const KEPT_MS = 86_400_000;

/** The last queries of each organization, in memory. They end with the process, and after a day. */
export class RecentQueries {
  readonly #clock: Clock;
  /** The organization with the oldest last query is first. */
  readonly #organizations = new Map<string, { all: QueryEvent[]; slow: QueryEvent[] }>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(event: QueryEvent): void {
    const kept = { ...event, sql: event.sql.slice(0, SQL_CHARS_MAX) };
    const own = this.#organizations.get(event.orgId) ?? { all: [], slow: [] };
    this.#organizations.delete(event.orgId);
    this.#organizations.set(event.orgId, own);
    this.#count -= own.all.length + own.slow.length;
    if (event.slow.length > 0) own.slow = [...own.slow, kept].slice(-SLOW_OF_ORGANIZATION_MAX);
    else own.all = [...own.all, kept].slice(-OF_ORGANIZATION_MAX);
    this.#count += own.all.length + own.slow.length;
    for (const [orgId, { all, slow }] of this.#organizations) {
      if (this.#count <= ALL_MAX || orgId === event.orgId) break;
      this.#organizations.delete(orgId);
      this.#count -= all.length + slow.length;
    }
  }

  /** Lists the queries of an organization, newest first. */
  list(orgId: string): QueryEvent[] {
    const { all, slow } = this.#organizations.get(orgId) ?? { all: [], slow: [] };
    const sinceMs = this.#clock.nowMs() - KEPT_MS;
    return [...all, ...slow].filter(({ askedAtMs }) => askedAtMs >= sinceMs).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** Removes the queries of a person or credential. */
  forgetActor(actorId: string): void {
    const isKept = ({ origin }: QueryEvent): boolean => origin.actor.id !== actorId;
    for (const own of this.#organizations.values()) {
      this.#count -= own.all.length + own.slow.length;
      own.all = own.all.filter(isKept);
      own.slow = own.slow.filter(isKept);
      this.#count += own.all.length + own.slow.length;
    }
  }
}
