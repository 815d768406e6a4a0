/** Inputs to the speed of large bodies. */
export interface PaceOptions {
  /** How fast all of them together come in while others wait; 0: as fast as they can. */
  readonly bytesPerSecond: number;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
}

/** So many small requests in one second are others that wait; fewer are looked after between two chunks. */
const OTHERS_A_SECOND = 10;
const WINDOW_MS = 1000;

/**
 * Slows large bodies down. Alone they come in as fast as the network and the disk allow. While small requests are
 * answered, they are limited to the set rate, since a faster body uses the processor time that those wait for.
 */
export class Pace {
  readonly #options: PaceOptions;
  #windowFromMs = -Infinity;
  #others = 0;
  #busyUntilMs = -Infinity;
  #freeAtMs = -Infinity;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** A small request was answered. */
  noteOther(): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#windowFromMs >= WINDOW_MS) {
      this.#windowFromMs = nowMs;
      this.#others = 0;
    }
    this.#others += 1;
    if (this.#others >= OTHERS_A_SECOND) this.#busyUntilMs = nowMs + 2 * WINDOW_MS;
  }

  /** How long the reader of `bytes` waits before reading more. */
  waitMs(bytes: number): number {
    const { bytesPerSecond } = this.#options;
    const nowMs = this.#options.nowMs();
    if (bytesPerSecond === 0 || nowMs >= this.#busyUntilMs) return 0;
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + (bytes * 1000) / bytesPerSecond;
    return this.#freeAtMs - nowMs;
  }
}
