import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";

/** Failed sign-ins of one client from one address that are answered before others are refused. */
export const FAILED_SIGN_INS_MAX = 10;
const WINDOW_MS = 60_000;
/** About 200 bytes each. Beyond it the key that failed longest ago is forgotten. */
const KEYS_MAX = 50_000;

interface Failures {
  count: number;
  readonly sinceMs: number;
}

/** Counts failures, never successes: guessing gets slow, a working client never does. */
export class FailureLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #failures = new Map<string, Failures>();

  /** @param max failures a minute */
  constructor(clock: Clock, max = FAILED_SIGN_INS_MAX) {
    this.#clock = clock;
    this.#max = max;
  }

  /** @throws Problem `rate_limited` with `Retry-After`, when the window's failures are used up: right or wrong is not looked at */
  check(key: string): void {
    const failures = this.#present(key);
    if (failures === undefined || failures.count < this.#max) return;
    const waitS = Math.max(1, Math.ceil((failures.sinceMs + WINDOW_MS - this.#clock.nowMs()) / 1000));
    throw new Problem(
      "rate_limited",
      `Too many failed sign-ins of this client from this address; try again after ${waitS} s.`,
      {
        headers: {
          "retry-after": String(waitS),
          "ratelimit-policy": `"sign-in";q=${this.#max};w=${WINDOW_MS / 1000}`,
          ratelimit: `"sign-in";r=0;t=${waitS}`,
        },
      },
    );
  }

  fail(key: string): void {
    const present = this.#present(key);
    if (present !== undefined) {
      present.count += 1;
      return;
    }
    this.#failures.delete(key);
    this.#failures.set(key, { count: 1, sinceMs: this.#clock.nowMs() });
    if (this.#failures.size <= KEYS_MAX) return;
    const oldest = this.#failures.keys().next();
    if (oldest.done !== true) this.#failures.delete(oldest.value);
  }

  #present(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    if (failures === undefined || this.#clock.nowMs() - failures.sinceMs >= WINDOW_MS) return undefined;
    return failures;
  }
}
