import { isPromotable, type TelemetryType } from "../columns.ts";
import type { Clock } from "#kernel/time.ts";

/** Keys that are remembered for each table, and given to a compaction. */
const KEYS_MAX = 64;
const GIVEN_MAX = 16;
const HALF_LIFE_MS = 86_400_000;

interface Score {
  /** Questions, each of them counting half as much after `HALF_LIFE_MS`. */
  value: number;
  at: number;
}

/** Which attributes an organization's queries ask for. In memory only: after a start it is learned again. */
export class AskedAttributes {
  readonly #clock: Clock;
  readonly #tables = new Map<string, Map<string, Score>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that a query read `attributes->>'key'` of each key. */
  note(orgId: string, type: TelemetryType, keys: readonly string[]): void {
    const name = `${orgId}/${type}`;
    const scores = this.#tables.get(name) ?? new Map<string, Score>();
    this.#tables.set(name, scores);
    const at = this.#clock.nowMs();
    for (const key of keys.filter(isPromotable)) scores.set(key, { value: 1 + scoreAt(scores.get(key), at), at });
    if (scores.size <= KEYS_MAX) return;
    for (const [key] of ranked(scores, at).slice(KEYS_MAX)) scores.delete(key);
  }

  /** The keys most asked for, the first of them the most. */
  of(orgId: string, type: TelemetryType): string[] {
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
