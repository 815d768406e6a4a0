import { FailureLimit } from "#domain/identity/index.ts";
import { FAILED_SIGN_INS_ADDRESS_MAX, PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";

/** Keeps guessing slow: failures of one account from one address, of one address, and passwords hashed at one time. */
export class Throttle {
  readonly #accounts: FailureLimit;
  readonly #addresses: FailureLimit;
  readonly #turns = new Turns(PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS);

  constructor(clock: Clock) {
    this.#accounts = new FailureLimit(clock);
    this.#addresses = new FailureLimit(clock, FAILED_SIGN_INS_ADDRESS_MAX);
  }

  /** @throws Problem `rate_limited` with `Retry-After`: right or wrong is not looked at */
  check(account: string, ip: string | null): void {
    this.#addresses.check(`${ip}`);
    this.#accounts.check(`${account} ${ip}`);
  }

  fail(account: string, ip: string | null): void {
    this.#addresses.fail(`${ip}`);
    this.#accounts.fail(`${account} ${ip}`);
  }

  /** Hashes a password when it is its turn. @throws Problem `unavailable` with `Retry-After` */
  hash<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }
}

/** Lets so many run at once; the others wait in line, but not for ever. */
class Turns {
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atOnce: number, waitMs: number) {
    this.#free = atOnce;
    this.#waitMs = waitMs;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(begin);
        const headers = { "retry-after": String(Math.ceil(this.#waitMs / 1000)) };
        reject(new Problem("unavailable", "Too many people sign in at this moment; try again shortly.", { headers }));
      }, this.#waitMs);
      this.#waiting.add(begin);
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
