/** A limit on working time. It is paused while the query waits for its reader. */
export class Deadline {
  readonly #onPassed: () => void;
  #leftMs: number;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, onPassed: () => void) {
    this.#leftMs = timeoutMs;
    this.#onPassed = onPassed;
    this.resume();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedMs;
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    this.#startedMs = performance.now();
    this.#timer = setTimeout(this.#onPassed, Math.max(0, this.#leftMs));
  }
}
