import type { NotifyChannel } from "./types.ts";

/** Listeners for notifications, by channel. Each is called in its own microtask and must not throw. */
export class Listeners {
  readonly #entries = new Map<NotifyChannel, Set<() => void>>();

  /** Returns the function that stops listening. */
  add(channel: NotifyChannel, listener: () => void): () => void {
    const entry = (): void => listener(); // a new object for each call, so that one function can listen twice
    const entries = this.#entries.get(channel) ?? new Set();
    this.#entries.set(channel, entries.add(entry));
    return () => void entries.delete(entry);
  }

  call(channel: string): void {
    for (const listener of this.#entries.get(channel as NotifyChannel) ?? []) queueMicrotask(listener);
  }

  callAll(): void {
    for (const channel of this.#entries.keys()) this.call(channel);
  }
}
