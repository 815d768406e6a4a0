import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The time that one request has waited for others so far, over all of its transactions. Time spent otherwise pays the
 * wait back, so that a long upload or a stream is not refused for an old wait.
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

/** Runs what one caller waits for: all that it begins shares one budget. */
export function sharingWaits<T>(run: () => T): T {
  return budgets.run(new WaitBudget(), run);
}

/** The budget of the caller that this code runs for; a separate one for work that nobody waits for. */
export function waitBudget(): WaitBudget {
  return budgets.getStore() ?? new WaitBudget();
}
