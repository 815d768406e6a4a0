import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { addHits } from "./store.ts";

const FLUSH_MS = 1000;

/** Counts requests by address, and writes the counts once a second. A crash may lose counts, but no event. */
export class Hits {
  readonly #metadata: MetadataStore;
  readonly #writing: ScheduledWork;
  #counts = new Map<string, { hits: number; atMs: number }>();

  constructor(options: {
    readonly metadata: MetadataStore;
    readonly log: { warn(fields: object, message: string): void };
    readonly schedule: Schedule;
  }) {
    this.#metadata = options.metadata;
    const { log, schedule } = options;
    this.#writing = schedule.add("webhook requests", {
      everyMs: FLUSH_MS,
      run: () => this.#flush(),
      failed: (error) => log.warn({ err: error }, "cannot count requests of webhooks"),
      onlyAsked: true,
    });
  }

  note(urlId: string, atMs: number): void {
    const count = this.#counts.get(urlId);
    if (count === undefined) this.#counts.set(urlId, { hits: 1, atMs });
    else {
      count.hits += 1;
      count.atMs = atMs;
    }
    this.#writing.ask();
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#writing.run().catch(() => undefined); // `failed` has logged the error.
  }

  async #flush(): Promise<void> {
    const counts = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (counts.length === 0) return;
    this.#counts = new Map();
    await this.#metadata.write(async (tx) => {
      for (const [urlId, { hits, atMs }] of counts) await addHits(tx, urlId, hits, atMs);
    });
  }
}
