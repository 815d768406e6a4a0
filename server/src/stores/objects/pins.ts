/**
 * Blobs that this process writes or reads now. The collector skips them. `renew` records them for collectors on other
 * servers.
 */
export class Pins {
  readonly #counts = new Map<string, number>();

  /** Pins a blob. Returns a function that removes the pin. Calling that function again does nothing. */
  add(id: string): () => void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    let pinned = true;
    return () => {
      if (pinned) this.#remove(id);
      pinned = false;
    };
  }

  has(id: string): boolean {
    return this.#counts.has(id);
  }

  ids(): string[] {
    return [...this.#counts.keys()];
  }

  #remove(id: string): void {
    const count = (this.#counts.get(id) ?? 1) - 1;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}
