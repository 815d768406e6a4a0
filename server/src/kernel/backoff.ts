import type { Clock } from "./time.ts";

/** The waits after failures in a row: the first, and the longest. */
export interface BackoffRange {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Returns the wait after this many failures in a row, at least 1. It doubles each time. */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffRange): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * Remembers failed background work by key until its next attempt. The waits have no jitter, because only this process
 * does the work.
 */
export class Backoff<Key> {
  readonly #range: BackoffRange;
  readonly #clock: Clock;
  readonly #failed = new Map<Key, { readonly failures: number; readonly retryAtMs: number }>();

  constructor(range: BackoffRange, clock: Clock) {
    this.#range = range;
    this.#clock = clock;
  }

  /** Whether the next attempt is not due yet. */
  isWaiting(key: Key): boolean {
    return (this.#failed.get(key)?.retryAtMs ?? 0) > this.#clock.nowMs();
  }

  /** Counts a failure. Returns the number of failures in a row, and the wait. */
  fail(key: Key): { readonly failures: number; readonly delayMs: number } {
    const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
    const delayMs = backoffMs(failures, this.#range);
    this.#failed.set(key, { failures, retryAtMs: this.#clock.nowMs() + delayMs });
    return { failures, delayMs };
  }

  /** Forgets the failures, after success or when the work is given up. */
  forget(key: Key): void {
    this.#failed.delete(key);
  }

  forgetAll(): void {
    this.#failed.clear();
  }
}
