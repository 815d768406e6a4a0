import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { addCounts, type RuleCounts } from "./store.ts";

export interface RuleCounterDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const FLUSH_MS = 5_000;

/** Counts the rows of each rule. A request never causes a write; a killed node loses the counts of the last seconds. */
export class RuleCounter {
  readonly #deps: RuleCounterDeps;
  readonly #writing: ScheduledWork;
  /** By the ids of rules. */
  #pending = new Map<string, { orgId: string; matched: number; removed: number; masked: number }>();

  constructor(deps: RuleCounterDeps) {
    this.#deps = deps;
    const { log, schedule } = deps;
    this.#writing = schedule.add("ingest rules", {
      everyMs: FLUSH_MS,
      run: () => this.flush(),
      failed: (error) => log.warn({ err: error }, "cannot save the counts of ingest rules"),
      onlyAsked: true,
    });
  }

  add(orgId: string, counts: Readonly<Record<string, RuleCounts>> | undefined): void {
    for (const [id, { matched, removed, masked }] of Object.entries(counts ?? {})) {
      if (matched === 0) continue;
      const sum = this.#pending.get(id) ?? { orgId, matched: 0, removed: 0, masked: 0 };
      sum.matched += matched;
      sum.removed += removed;
      sum.masked += masked;
      this.#pending.set(id, sum);
      this.#writing.ask();
    }
  }

  async flush(): Promise<void> {
    const counts = this.#pending;
    if (counts.size === 0) return;
    this.#pending = new Map();
    try {
      const nowMs = this.#deps.clock.nowMs();
      await this.#deps.metadata.write(async (tx) => {
        for (const [id, { orgId, ...sum }] of counts) await addCounts(tx, { orgId, id }, sum, nowMs);
      });
    } catch (error) {
      for (const [id, { orgId, ...sum }] of counts) this.add(orgId, { [id]: sum });
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush();
  }
}
