import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Committed } from "../event-log.ts";
import { HAND_ON } from "./model.ts";
import { activeDestinations } from "./store.ts";

/** Under load many commits make one look. */
const GATHER_MS = 20;

/** Makes the jobs of destinations due when their webhooks have received something. What is lost here is found a minute later. */
export class Waker {
  readonly #deps: { readonly metadata: MetadataStore; readonly jobs: Jobs };
  readonly #log: { warn(fields: object, message: string): void };
  #webhooks = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly metadata: MetadataStore;
    readonly jobs: Jobs;
    readonly log: { warn(fields: object, message: string): void };
  }) {
    this.#deps = options;
    this.#log = options.log;
  }

  committed(events: readonly Committed[]): void {
    for (const { webhookId } of events) this.#webhooks.add(webhookId);
    this.#timer ??= setTimeout(() => this.#wake(), GATHER_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wake(): void {
    const webhooks = [...this.#webhooks];
    this.#webhooks = new Set();
    this.#running = this.#wakeAll(webhooks)
      .catch((error: unknown) => this.#log.warn({ err: error }, "cannot wake destinations of webhooks"))
      .then(() => {
        this.#timer = this.#webhooks.size === 0 ? undefined : setTimeout(() => this.#wake(), GATHER_MS);
      });
  }

  async #wakeAll(webhookIds: readonly string[]): Promise<void> {
    const { metadata, jobs } = this.#deps;
    const active = await activeDestinations(metadata.read, webhookIds);
    if (active.length === 0) return;
    const ids = active.map(({ id }) => id).toSorted();
    await metadata.write((tx) => jobs.wake(tx, HAND_ON, ids));
  }
}
