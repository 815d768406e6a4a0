import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The time that one request has waited for locks so far, in all its transactions. Time without waits reduces it, so
 * that a long upload or stream is not refused because of an old wait.
 */
export class WaitBudget {
  #spentMs = 0;
  #atMs = performance.now();

  spentMs(): number {
    const nowMs = performance.now();
    this.#spentMs = Math.max(0, this.#spentMs - (nowMs - this.#atMs));
    this.#atMs = nowMs;
    return this.#spentMs;
  }

  /** Adds a wait that ends now. */
  spend(waitedMs: number): void {
    const nowMs = performance.now();
    this.#spentMs = Math.max(0, this.#spentMs - Math.max(0, nowMs - this.#atMs - waitedMs)) + waitedMs;
    this.#atMs = nowMs;
  }
}

const budgets = new AsyncLocalStorage<WaitBudget>();

/** Runs work for one caller. All of its transactions share one budget. */
export function sharingWaits<T>(run: () => T): T {
  return budgets.run(new WaitBudget(), run);
}

/** Returns the budget of the caller that this code runs for, or a new one for background work. */
export function waitBudget(): WaitBudget {
  return budgets.getStore() ?? new WaitBudget();
}
