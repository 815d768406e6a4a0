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

const RETRY_AFTER_S = "2";

/** How many queries run at once, in all and for one organization; a few more may wait. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#total;
  }

  /**
   * Waits for a place. The returned function gives it back; calling it again does nothing.
   * @throws Problem `rate_limited` when too many wait or the wait was too long; the signal's reason when it is aborted
   */
  async acquire(orgId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#hasPlace(orgId)) await this.#wait(orgId, signal);
    else this.#enter(orgId);
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
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        done();
        reject(this.#refusal());
      }, this.#limits.queueTimeoutMs);
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #refusal(): Problem {
    const detail = `too many queries run at once (${this.#limits.concurrentPerOrgMax} for an organization, ${this.#limits.concurrentMax} in all); try again shortly`;
    return new Problem("rate_limited", detail, { headers: { "Retry-After": RETRY_AFTER_S } });
  }

  #hasPlace(orgId: string): boolean {
    return (
      this.#total < this.#limits.concurrentMax && (this.#running.get(orgId) ?? 0) < this.#limits.concurrentPerOrgMax
    );
  }

  #enter(orgId: string): void {
    this.#total++;
    this.#running.set(orgId, (this.#running.get(orgId) ?? 0) + 1);
  }

  #leave(orgId: string): void {
    this.#total--;
    const left = (this.#running.get(orgId) ?? 1) - 1;
    if (left === 0) this.#running.delete(orgId);
    else this.#running.set(orgId, left);
    // In the order in which they came, passing over organizations that have their share.
    this.#waiting.find((each) => this.#hasPlace(each.orgId))?.admit();
  }
}
