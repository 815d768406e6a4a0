import type { MetadataStore } from "#stores/metadata/index.ts";
import { addHits } from "./store.ts";

const FLUSH_MS = 1000;

/** Counts requests by address, and writes the counts once a second: a count that a crash loses is no event. */
export class Hits {
  readonly #metadata: MetadataStore;
  readonly #log: { warn(fields: object, message: string): void };
  #counts = new Map<string, { hits: number; atMs: number }>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly metadata: MetadataStore;
    readonly log: { warn(fields: object, message: string): void };
  }) {
    this.#metadata = options.metadata;
    this.#log = options.log;
  }

  note(urlId: string, atMs: number): void {
    const count = this.#counts.get(urlId);
    if (count === undefined) this.#counts.set(urlId, { hits: 1, atMs });
    else {
      count.hits += 1;
      count.atMs = atMs;
    }
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#flushing;
  }

  #flush(): void {
    this.#timer = undefined;
    const counts = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (counts.length === 0) return;
    this.#counts = new Map();
    this.#flushing = this.#metadata
      .write(async (tx) => {
        for (const [urlId, { hits, atMs }] of counts) await addHits(tx, urlId, hits, atMs);
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, "cannot count requests of webhooks"));
  }
}
