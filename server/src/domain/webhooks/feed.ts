/**
 * Wakes readers that wait for a webhook's events. It knows only the events of this node. Waiting readers query the
 * database at intervals for events of other nodes.
 */
export class EventFeed {
  readonly #listeners = new Map<string, Set<() => void>>();
  #forAll: ((webhookIds: ReadonlySet<string>) => void) | undefined;

  /** Sets the listener for every commit. Call it once. */
  onCommitted(listener: (webhookIds: ReadonlySet<string>) => void): void {
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

  committed(webhookIds: ReadonlySet<string>): void {
    this.#forAll?.(webhookIds);
    if (this.#listeners.size === 0) return;
    for (const webhookId of webhookIds) for (const listener of this.#listeners.get(webhookId) ?? []) listener();
  }

  /** Resolves when there may be an event, when the time is over, or when the signal is aborted. */
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
