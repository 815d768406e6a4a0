import { setTimeout as delay } from "node:timers/promises";

/** Limits the requests per second to one destination. Each node counts separately. */
export class Paces {
  readonly #nextMs = new Map<string, number>();

  /** Waits for the next free moment. Resolves at once without a rate. @throws the signal's reason */
  async turn(destinationId: string, perSecond: number | null, signal: AbortSignal): Promise<void> {
    if (perSecond === null) return;
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#nextMs.get(destinationId) ?? 0);
    this.#nextMs.set(destinationId, atMs + 1000 / perSecond);
    if (atMs > nowMs) await delay(atMs - nowMs, undefined, { signal });
  }
}
