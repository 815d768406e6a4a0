import { addressRangeText, parseAddress } from "@mooring/contract";
import {
  FAILURE_DELAY_S_MAX,
  FAILURE_KEYS_MAX,
  FAILURES_FORGOTTEN_AFTER_MS,
  FAILURES_WITHOUT_DELAY,
} from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
  readonly untilMs: number;
}

const DELAY_S_FIRST = 5;

/**
 * Counts failures by key. The first failures are answered at once. After each further one the key must wait, twice as
 * long each time, up to 30 seconds. A proof that can't be guessed (a secret of 256 bits, a signature) is checked first
 * and only calls `fail`, so that failures of others never refuse it. A proof that can be guessed (a password, a code)
 * calls `check` first.
 */
export class FailureDelay {
  readonly #clock: Clock;
  readonly #free: number;
  readonly #failures = new Map<string, Failures>();

  /** @param free failures before the first delay */
  constructor(clock: Clock, free = FAILURES_WITHOUT_DELAY) {
    this.#clock = clock;
    this.#free = free;
  }

  /** The number of keys in memory, at most `FAILURE_KEYS_MAX`. */
  get size(): number {
    return this.#failures.size;
  }

  /**
   * Refuses a key that must wait, so that its proof is not checked.
   * @throws Problem `rate_limited` with `Retry-After`
   */
  check(key: string): void {
    const waitMs = (this.#failures.get(key)?.untilMs ?? 0) - this.#clock.nowMs();
    // A wait above the longest delay means that the clock was set back.
    if (waitMs > 0 && waitMs <= FAILURE_DELAY_S_MAX * 1000) throw this.#limited(Math.ceil(waitMs / 1000));
  }

  /** Counts a failure. @throws Problem `rate_limited` instead of the failure's own problem, if the key must wait */
  fail(key: string): void {
    this.check(key);
    const nowMs = this.#clock.nowMs();
    const present = this.#failures.get(key);
    const isRecent = present !== undefined && Math.abs(nowMs - present.lastAtMs) < FAILURES_FORGOTTEN_AFTER_MS;
    const count = (isRecent ? present.count : 0) + 1;
    this.#failures.delete(key); // insert it again, so that the map is in the order of the last failures
    this.#failures.set(key, { count, lastAtMs: nowMs, untilMs: nowMs + this.#delayMs(count) });
    if (this.#failures.size <= FAILURE_KEYS_MAX) return;
    const oldest = this.#failures.keys().next();
    if (oldest.done !== true) this.#failures.delete(oldest.value);
  }

  /**
   * Counts unknown links of 256 random bits. A valid link always works. A client that shows unknown ones must wait.
   * @throws Problem `rate_limited` instead of `not_found`; the errors of `work`
   */
  async countMisses<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Problem && error.code === "not_found") this.fail(key);
      throw error;
    }
  }

  #delayMs(count: number): number {
    if (count < this.#free) return 0;
    // Six doublings already exceed the longest delay.
    return Math.min(FAILURE_DELAY_S_MAX, DELAY_S_FIRST * 2 ** Math.min(6, count - this.#free)) * 1000;
  }

  #limited(waitS: number): Problem {
    return new Problem("rate_limited", `Too many failed attempts from this address. Try again after ${waitS} s.`, {
      retryAfterS: waitS,
      allowance: { name: "failures", most: this.#free, windowS: FAILURES_FORGOTTEN_AFTER_MS / 1000 },
    });
  }
}

const V6_NETWORK_BITS = 64;

/**
 * Returns the key for failures from an address. An IPv6 network is one key, because one machine can use every address
 * of its /64.
 */
export function failurePlaceOf(ip: string | null): string {
  const address = ip === null ? undefined : parseAddress(ip);
  if (address === undefined) return ip === null ? "unknown" : ip.slice(0, 64);
  if (address.bytes.length === 4) return addressRangeText(address);
  const bytes = address.bytes.map((byte, i) => (i * 8 < V6_NETWORK_BITS ? byte : 0));
  return addressRangeText({ bytes, bits: V6_NETWORK_BITS });
}
