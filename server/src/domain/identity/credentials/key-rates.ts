import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { CredentialState } from "./states.ts";

/** Requests that may come at once, as seconds of the rate. */
const BURST_S = 10;

/** Limits the requests of ingest keys on this node. A change of a key fills its bucket again. */
export class KeyRates {
  readonly #clock: Clock;
  readonly #buckets = new WeakMap<CredentialState, { tokens: number; atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Problem `rate_limited` */
  take(key: CredentialState): void {
    const { requestsPerSecond: rate } = key;
    if (rate === null) return;
    const nowMs = this.#clock.nowMs();
    const most = rate * BURST_S;
    const { tokens, atMs } = this.#buckets.get(key) ?? { tokens: most, atMs: nowMs };
    const refilled = Math.min(most, tokens + (Math.max(0, nowMs - atMs) / 1000) * rate);
    this.#buckets.set(key, { tokens: refilled < 1 ? refilled : refilled - 1, atMs: nowMs });
    if (refilled >= 1) return;
    throw new Problem("rate_limited", `The ingest key allows ${rate} requests a second. Send larger batches.`, {
      retryAfterS: 1,
      allowance: { name: "ingest-key", most, windowS: BURST_S },
    });
  }
}
