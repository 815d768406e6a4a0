import { FailureDelay, failurePlaceOf, type Envelope } from "#domain/identity/index.ts";
import { PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS } from "#kernel/limits.ts";
import type { Clock } from "#kernel/time.ts";
import type { Origin } from "../origin.ts";
import { deviceOf } from "./device.ts";
import { Turns } from "./turns.ts";

type From = Pick<Origin, "ip" | "device">;
/** Counted separately: a failure of one kind does not count for the other. */
export type Guessed = "password" | "code";

/**
 * Keeps guessing of passwords and codes slow, by account and place. The place is the address, or a browser in which the person signed in before: that
 * one is not slowed by what others at its address do. Passwords are hashed a few at a time.
 */
export class Throttle {
  readonly #deps: { readonly clock: Clock; readonly envelope: Pick<Envelope, "keyedHash"> };
  readonly #failures: FailureDelay;
  readonly #turns = new Turns(PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS);

  constructor(deps: { readonly clock: Clock; readonly envelope: Pick<Envelope, "keyedHash"> }) {
    this.#deps = deps;
    this.#failures = new FailureDelay(deps.clock);
  }

  /**
   * @param account the person's id; for an unknown account, the given address
   * @throws Problem `rate_limited` with `Retry-After`, for 30 seconds at most, without checking the proof
   */
  check(account: string, from: From, what: Guessed = "password"): void {
    this.#failures.check(`${what} ${account} ${this.#placeOf(account, from).name}`);
  }

  /** @throws Problem `rate_limited` where others failed meanwhile */
  fail(account: string, from: From, what: Guessed = "password"): void {
    this.#failures.fail(`${what} ${account} ${this.#placeOf(account, from).name}`);
  }

  /** Where requests that nobody signed in for come from, to count them by: a known browser apart from its address. */
  placeOf({ ip, device: cookie }: From): string {
    const device = deviceOf(this.#deps, cookie);
    return device === undefined ? failurePlaceOf(ip) : `device ${device.id}`;
  }

  /** Hashes a password when it is its turn. @throws Problem `unavailable` with `Retry-After` */
  hash<T>(work: () => Promise<T>, of: { readonly account: string; readonly from: From } | null = null): Promise<T> {
    const lane = of === null ? { name: "", isKnown: true } : this.#placeOf(of.account, of.from);
    return this.#turns.run(lane, work);
  }

  #placeOf(account: string, { ip, device: cookie }: From): { readonly name: string; readonly isKnown: boolean } {
    const device = deviceOf(this.#deps, cookie);
    if (device?.userIds.includes(account) === true) return { name: `device ${device.id}`, isKnown: true };
    return { name: failurePlaceOf(ip), isKnown: false };
  }
}
