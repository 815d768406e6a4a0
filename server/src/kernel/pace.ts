/** The parameters of `Pace`. */
export interface PaceOptions {
  /** The total rate of large bodies while small requests are answered; 0: no limit. */
  readonly bytesPerSecond: number;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

/** With fewer small requests in a second than this, large bodies are not slowed down. */
const OTHERS_A_SECOND = 10;
const WINDOW_MS = 1000;

/**
 * Slows large bodies down while the server answers small requests, because a fast body uses processor time that the
 * small requests need. Without small requests, a body has no limit.
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

  /** Counts an answered small request. */
  noteOther(): void {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#windowFromMs >= WINDOW_MS) {
      this.#windowFromMs = nowMs;
      this.#others = 0;
    }
    this.#others += 1;
    if (this.#others >= OTHERS_A_SECOND) this.#busyUntilMs = nowMs + 2 * WINDOW_MS;
  }

  /** Returns how long the reader of `bytes` must wait before it reads more. */
  waitMs(bytes: number): number {
    const { bytesPerSecond } = this.#options;
    const nowMs = this.#options.nowMs();
    if (bytesPerSecond === 0 || nowMs >= this.#busyUntilMs) return 0;
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + (bytes * 1000) / bytesPerSecond;
    return this.#freeAtMs - nowMs;
  }
}
