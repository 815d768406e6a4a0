/** Requests that are taking content in, one for each upload: a new one ends the one before, whose connection may long be dead. */
export class Active {
  readonly #running = new Map<string, { readonly stop: () => void; readonly done: Promise<void> }>();

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Ends the request that takes content for this upload, if there is one, and waits until what it has is kept. */
  async takeOver(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.stop();
    await running.done;
  }

  /** Runs `work` as the request of this upload; `stop` must make it end soon. */
  async run<T>(id: string, stop: () => void, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry = { stop, done: promise };
    this.#running.set(id, entry);
    try {
      return await work();
    } finally {
      if (this.#running.get(id) === entry) this.#running.delete(id);
      resolve();
    }
  }
}
