import { isPromotable } from "../columns.ts";
import type { StoredTable } from "../spool/tables.ts";
import type { Clock } from "#kernel/time.ts";

/** The most keys that are stored for each table, and given to a compaction. */
const KEYS_MAX = 64;
const GIVEN_MAX = 16;
const HALF_LIFE_MS = 86_400_000;

interface Score {
  /** The number of queries, where each counts half as much after `HALF_LIFE_MS`. */
  value: number;
  at: number;
}

/** Counts the attributes that an organization's queries use. It is only in memory, and starts again with the server. */
export class AskedAttributes {
  readonly #clock: Clock;
  readonly #tables = new Map<string, Map<string, Score>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a query that reads `attributes->>'key'` for each key. */
  note(orgId: string, type: StoredTable, keys: readonly string[]): void {
    const name = `${orgId}/${type}`;
    const scores = this.#tables.get(name) ?? new Map<string, Score>();
    this.#tables.set(name, scores);
    const at = this.#clock.nowMs();
    for (const key of keys.filter(isPromotable)) scores.set(key, { value: 1 + scoreAt(scores.get(key), at), at });
    if (scores.size <= KEYS_MAX) return;
    for (const [key] of ranked(scores, at).slice(KEYS_MAX)) scores.delete(key);
  }

  /** Returns the most used keys, the most used one first. */
  of(orgId: string, type: StoredTable): string[] {
    const scores = this.#tables.get(`${orgId}/${type}`);
    if (scores === undefined) return [];
    return ranked(scores, this.#clock.nowMs())
      .slice(0, GIVEN_MAX)
      .map(([key]) => key);
  }
}

function scoreAt(score: Score | undefined, at: number): number {
  return score === undefined ? 0 : score.value * 2 ** (-Math.max(0, at - score.at) / HALF_LIFE_MS);
}

function ranked(scores: ReadonlyMap<string, Score>, at: number): [string, Score][] {
  return [...scores].toSorted(([, a], [, b]) => scoreAt(b, at) - scoreAt(a, at));
}
