/** Flushes directories for concurrent writers. One flush serves all writers whose names existed when it began. */
export class DirectoryFlushes {
  readonly #syncDirectory: (path: string) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  constructor(syncDirectory: (path: string) => Promise<void>) {
    this.#syncDirectory = syncDirectory;
  }

  /** Resolves when all current names in the directory are on disk. */
  async flush(path: string): Promise<void> {
    const running = this.#running.get(path);
    if (running === undefined) return this.#begin(path);
    // The running flush may have begun before the caller's name existed.
    const waiting = this.#next.get(path);
    if (waiting !== undefined) return waiting;
    const next = running
      .catch(() => {}) // its callers have received the error
      .then(() => {
        this.#next.delete(path);
        return this.#begin(path);
      });
    this.#next.set(path, next);
    return next;
  }

  async #begin(path: string): Promise<void> {
    const flushing = this.#syncDirectory(path).finally(() => this.#running.delete(path));
    this.#running.set(path, flushing);
    return flushing;
  }
}
