import { Problem } from "#kernel/problem.ts";

export interface SlotLimits {
  readonly concurrentMax: number;
  readonly concurrentPerOrgMax: number;
  readonly queuePerOrgMax: number;
  readonly queueTimeoutMs: number;
}

interface Waiting {
  readonly orgId: string;
  readonly admit: () => void;
}

const RETRY_AFTER_S = 2;

/**
 * Limits how many queries run at once, in total and for each organization. A few more may wait. A free slot goes to the
 * organization that runs the fewest queries. Among equals, it goes to the one that was served the longest ago. The last free
 * slot is reserved for an organization that runs none, so that a rare query does not wait for frequent ones. With only one
 * slot, organizations take turns.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  /** The number of the slot that an organization was given last. Only for organizations that run or wait. */
  readonly #served = new Map<string, number>();
  #turns = 0;
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#total;
  }

  /**
   * Waits for a slot. The returned function releases it; a second call does nothing.
   * @throws Problem `rate_limited` when too many queries wait or the wait was too long; the signal's reason when it is
   * aborted
   */
  async acquire(orgId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#hasSlot(orgId)) this.#enter(orgId);
    else await this.#wait(orgId, signal);
    let held = true;
    return () => {
      if (held) this.#leave(orgId);
      held = false;
    };
  }

  #wait(orgId: string, signal: AbortSignal): Promise<void> {
    const ahead = this.#waiting.filter((each) => each.orgId === orgId).length;
    if (ahead >= this.#limits.queuePerOrgMax) return Promise.reject(this.#refusal());
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
      };
      const waiting: Waiting = {
        orgId,
        admit: () => {
          done();
          this.#enter(orgId);
          resolve();
        },
      };
      const abort = (): void => {
        done();
        this.#forget(orgId);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        done();
        this.#forget(orgId);
        reject(this.#refusal());
      }, this.#limits.queueTimeoutMs);
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #refusal(): Problem {
    const detail = `too many queries run at once (${this.#limits.concurrentPerOrgMax} for an organization, ${this.#limits.concurrentMax} in all); try again shortly`;
    const limit = { name: "queries of the organization", max: this.#limits.concurrentPerOrgMax };
    const facts = () => ({ rule: "slots", limit: { ...limit, value: null, untilMs: null } });
    return new Problem("rate_limited", detail, { retryAfterS: RETRY_AFTER_S, facts });
  }

  #hasSlot(orgId: string): boolean {
    const own = this.#runningOf(orgId);
    const { concurrentMax, concurrentPerOrgMax } = this.#limits;
    // An organization that already runs queries must leave one slot free for others.
    const free = concurrentMax - this.#total - (own > 0 ? 1 : 0);
    return free > 0 && own < concurrentPerOrgMax;
  }

  #runningOf(orgId: string): number {
    return this.#running.get(orgId) ?? 0;
  }

  #enter(orgId: string): void {
    this.#total++;
    this.#running.set(orgId, this.#runningOf(orgId) + 1);
    this.#served.set(orgId, ++this.#turns);
  }

  #leave(orgId: string): void {
    this.#total--;
    const left = this.#runningOf(orgId) - 1;
    if (left === 0) this.#running.delete(orgId);
    else this.#running.set(orgId, left);
    this.#forget(orgId);
    this.#next()?.admit();
  }

  /** Returns the next waiting query. The queries of one organization run in their order. */
  #next(): Waiting | undefined {
    let chosen: Waiting | undefined;
    for (const each of this.#waiting)
      if (this.#hasSlot(each.orgId) && (chosen === undefined || this.#isBefore(each.orgId, chosen.orgId)))
        chosen = each;
    return chosen;
  }

  #isBefore(a: string, b: string): boolean {
    const fewer = this.#runningOf(a) - this.#runningOf(b);
    return fewer < 0 || (fewer === 0 && (this.#served.get(a) ?? 0) < (this.#served.get(b) ?? 0));
  }

  #forget(orgId: string): void {
    if (this.#running.has(orgId) || this.#waiting.some((each) => each.orgId === orgId)) return;
    this.#served.delete(orgId);
  }
}
