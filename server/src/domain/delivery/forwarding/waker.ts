import type { Jobs, Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { FORWARD } from "./model.ts";
import { activeDestinations, destinationsBehind } from "./store.ts";

/** Commits within this time share one query for their destinations. */
const GATHER_MS = 20;
const PAGE_DESTINATIONS = 500;

/**
 * Makes the jobs of destinations due when their webhooks received events. If a call is lost, the job's regular check
 * finds the events within a minute.
 */
export class Waker {
  readonly #deps: { readonly metadata: MetadataStore; readonly jobs: Jobs };
  readonly #log: { warn(fields: object, message: string): void };
  readonly #waking: ScheduledWork;
  #webhooks = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: {
    readonly metadata: MetadataStore;
    readonly jobs: Jobs;
    readonly log: { warn(fields: object, message: string): void };
    readonly schedule: Schedule;
  }) {
    this.#deps = options;
    this.#log = options.log;
    this.#waking = options.schedule.add("webhook deliveries", {
      everyMs: GATHER_MS,
      run: () => this.#wake(),
      failed: (error) => this.#log.warn({ err: error }, "cannot wake destinations of webhooks"),
      onlyAsked: true,
    });
  }

  committed(webhookIds: ReadonlySet<string>): void {
    for (const webhookId of webhookIds) this.#webhooks.add(webhookId);
    this.#waking.ask();
  }

  /**
   * Finds the events of a process that ended before it could wake their destinations, without waiting for the next
   * check.
   */
  start(): void {
    this.#running = this.#wakeBehind().catch((error: unknown) =>
      this.#log.warn({ err: error }, "cannot wake destinations that are behind"),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#waking.stop();
    await this.#running;
  }

  async #wake(): Promise<void> {
    const webhooks = [...this.#webhooks];
    this.#webhooks = new Set();
    await this.#wakeAll(webhooks);
  }

  async #wakeAll(webhookIds: readonly string[]): Promise<void> {
    const { metadata } = this.#deps;
    const active = await activeDestinations(metadata.read, webhookIds);
    await this.#wakeJobs(active.map(({ id }) => id));
  }

  async #wakeBehind(): Promise<void> {
    for (let after = ""; ;) {
      const ids = await destinationsBehind(this.#deps.metadata.read, after, PAGE_DESTINATIONS);
      await this.#wakeJobs(ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < PAGE_DESTINATIONS || this.#stopped) return;
      after = last;
    }
  }

  async #wakeJobs(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { metadata, jobs } = this.#deps;
    await metadata.write((tx) => jobs.wake(tx, FORWARD, ids.toSorted()));
  }
}
