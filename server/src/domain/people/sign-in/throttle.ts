import { FailureDelay, failurePlaceOf, type Signatures } from "#domain/identity/index.ts";
import { PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS } from "#kernel/limits.ts";
import type { Clock } from "#kernel/time.ts";
import type { Origin } from "../origin.ts";
import { deviceOf } from "./device.ts";
import { Turns } from "./turns.ts";

type From = Pick<Origin, "ip" | "device">;
/** Failures of each kind are counted separately. */
export type Guessed = "password" | "code";

/**
 * Slows down the guessing of passwords and codes, by account and place. The place is the address, or a browser that the
 * person signed in with before. Other people at the same address do not slow such a browser. Only a few passwords are
 * hashed at the same time.
 */
export class Throttle {
  readonly #deps: { readonly clock: Clock; readonly envelope: Pick<Signatures, "sign" | "verifyKnown"> };
  readonly #failures: FailureDelay;
  readonly #turns = new Turns(PASSWORD_HASHES_AT_ONCE, PASSWORD_HASH_WAIT_MS);

  constructor(deps: { readonly clock: Clock; readonly envelope: Pick<Signatures, "sign" | "verifyKnown"> }) {
    this.#deps = deps;
    this.#failures = new FailureDelay(deps.clock);
  }

  /**
   * @param account the person's id; for an unknown account, the given address
   * @throws Problem `rate_limited` with `Retry-After`, for at most 30 seconds, without checking the proof
   */
  check(account: string, from: From, what: Guessed = "password"): void {
    this.#failures.check(`${what} ${account} ${this.#placeOf(account, from).name}`);
  }

  /** @throws Problem `rate_limited` if others failed in the meantime */
  fail(account: string, from: From, what: Guessed = "password"): void {
    this.#failures.fail(`${what} ${account} ${this.#placeOf(account, from).name}`);
  }

  /**
   * Returns the place where failures of requests without a session are counted. A known browser is apart from its
   * address.
   */
  placeOf({ ip, device: cookie }: From): string {
    const device = deviceOf(this.#deps, cookie);
    return device === undefined ? failurePlaceOf(ip) : `device ${device.id}`;
  }

  /** Hashes a password in its turn. @throws Problem `unavailable` with `Retry-After` */
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
