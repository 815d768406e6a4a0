/**
 * The requests that receive content, one for each upload. A new one ends the previous one, whose connection may be
 * dead.
 */
export class Active {
  readonly #running = new Map<string, { readonly stop: () => void; readonly done: Promise<void> }>();

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Ends the request that receives content for this upload, if there is one, and waits until its content is stored. */
  async takeOver(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.stop();
    await running.done;
  }

  /** Runs `work` as the request of this upload. `stop` must end it soon. */
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
