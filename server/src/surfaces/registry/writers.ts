/** The uploads that a request of this process is writing to. Each has one writer at a time. */
export class Writers {
  readonly #sessions = new Set<string>();

  /** Returns the function that ends the writing; undefined when another request writes. */
  take(session: string): (() => void) | undefined {
    if (this.#sessions.has(session)) return undefined;
    this.#sessions.add(session);
    return () => void this.#sessions.delete(session);
  }
}
