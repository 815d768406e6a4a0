import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { KeyRing } from "./keyring.ts";

interface RingWorkDeps {
  readonly ring: KeyRing;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const KEY_RING_EVERY_MS = 5 * 60 * 1000;
const KEY_RING_RETRY_MS = 5_000;

/** Reads the key ring after each change, and asks the key service for its key now and then. */
export class RingWork {
  readonly #deps: RingWorkDeps;
  #work: ScheduledWork | undefined;

  constructor(deps: RingWorkDeps) {
    this.#deps = deps;
    deps.feed.subscribe({
      apply: (changes) => (changes.some((change) => change.kind === "key") ? this.#changed() : undefined),
      reset: () => this.#changed(),
    });
  }

  start(): void {
    const { ring, schedule } = this.#deps;
    const failed = (error: unknown): void => this.#failed(error);
    this.#work = schedule.add("key ring", { everyMs: KEY_RING_EVERY_MS, run: () => ring.refresh(), failed });
  }

  async stop(): Promise<void> {
    await this.#work?.stop();
  }

  /** A failure must not stop the feed: the keys in memory still work. Nor must a slow key service. */
  async #changed(): Promise<void> {
    const { ring } = this.#deps;
    try {
      const isWhole = await ring.applyChange();
      if (this.#work !== undefined) this.#work.ask(0); // asks the service
      else if (!isWhole) await ring.refresh();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#deps.log.warn({ err: error }, "cannot read the key ring");
    this.#work?.ask(KEY_RING_RETRY_MS);
  }
}
