import type { Committed } from "./event-log.ts";

/** Tells those who wait for a webhook's events that there are some. A hint: other nodes' events are found by looking. */
export class EventFeed {
  readonly #listeners = new Map<string, Set<() => void>>();
  #forAll: ((events: readonly Committed[]) => void) | undefined;

  /** Told of every commit. Once. */
  onCommitted(listener: (events: readonly Committed[]) => void): void {
    this.#forAll = listener;
  }

  /** Returns the function that stops listening. */
  listen(webhookId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(webhookId) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(webhookId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(webhookId);
    };
  }

  committed(events: readonly Committed[]): void {
    this.#forAll?.(events);
    if (this.#listeners.size === 0) return;
    for (const webhookId of new Set(events.map((event) => event.webhookId)))
      for (const listener of this.#listeners.get(webhookId) ?? []) listener();
  }

  /** Resolves when there may be an event, when the time is over, or when the signal says so. */
  async wait(webhookId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    const stop = this.listen(webhookId, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    stop();
  }
}
