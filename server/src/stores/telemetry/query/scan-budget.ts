import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { QueryRequest } from "../types.ts";
import type { ChildAsk } from "./protocol.ts";

export interface ScanLimits {
  /** The most bytes of the files that one statement may open. Null: no limit. */
  readonly scanBytesMax: number | null;
  /** The most bytes that one credential, person or alert may read in a day (UTC). Null: no limit. */
  readonly scanBytesPerDayMax: number | null;
}

const DAY_MS = 86_400_000;

/** Limits the bytes that statements read. Files are known before a statement runs, so a refused one reads nothing. */
export class ScanBudget {
  readonly #limits: ScanLimits;
  readonly #clock: Clock;
  #day = 0;
  /** The bytes of this day, by actor. A restart begins with zero. */
  readonly #used = new Map<string, number>();

  constructor(limits: ScanLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts the bytes of a statement. @throws Problem `query_scan_limit` */
  spend({ orgId, origin }: Pick<QueryRequest, "orgId" | "origin">, bytes: number): void {
    const { scanBytesMax, scanBytesPerDayMax } = this.#limits;
    if (scanBytesMax !== null && bytes > scanBytesMax)
      throw new Problem(
        "query_scan_limit",
        `the statement would read files of ${bytes} bytes, and a statement may read ${scanBytesMax} (query_scan_bytes_max); ask for a shorter time range, with conditions on timestamp or with from and to`,
      );
    if (scanBytesPerDayMax === null) return;
    this.#turn();
    const key = `${orgId} ${origin.actor.id}`;
    const used = this.#used.get(key) ?? 0;
    if (used + bytes > scanBytesPerDayMax)
      throw new Problem(
        "query_scan_limit",
        `the statement would read files of ${bytes} bytes; you have read ${used} today, and may read ${scanBytesPerDayMax} in a day (query_scan_bytes_per_day_actor); ask for less, or wait until midnight UTC`,
      );
    this.#used.set(key, used + bytes);
  }

  #turn(): void {
    const day = Math.floor(this.#clock.nowMs() / DAY_MS);
    if (day !== this.#day) this.#used.clear();
    this.#day = day;
  }
}

/**
 * Whether a statement reads the files of a table completely. For the newest rows, the child opens only the files that
 * have them.
 */
export function isScanned({ tables }: ChildAsk, table: string): boolean {
  const asked = tables[table];
  return asked !== undefined && asked.latest === undefined;
}
