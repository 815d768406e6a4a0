import { basename } from "node:path";
import { Backoff } from "#kernel/backoff.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { MergeSettings, TelemetryLog } from "../settings.ts";
import { planMerges, type Merge } from "./merge-plan.ts";

export interface MergeScheduleOptions {
  readonly tables: Tables;
  readonly settings: MergeSettings;
  readonly clock: Clock;
  readonly log: TelemetryLog;
  readonly schedule: Schedule;
  readonly merge: (table: Table, merge: Merge) => Promise<void>;
  /** Whether compaction is behind. Then only tables with too many files are merged. */
  readonly isBehind: () => boolean;
}

const RETRY = { firstMs: 30_000, maxMs: 6 * 3_600_000 };
/** A table without work whose files did not change is checked again after this time, since a day may be over. */
const IDLE_MS = 30_000;

/** Decides when files are merged. One merge runs at a time, in parallel with compactions. */
export class MergeSchedule {
  readonly #options: MergeScheduleOptions;
  /** Keyed by table and period. */
  readonly #failed: Backoff<string>;
  /** Files that cannot be read, and until when they are skipped. */
  readonly #unreadable = new WeakMap<ParquetFile, number>();
  readonly #idle = new WeakMap<readonly ParquetFile[], number>();
  #work: ScheduledWork | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: MergeScheduleOptions) {
    this.#options = options;
    this.#failed = new Backoff(RETRY, options.clock);
  }

  start(): void {
    const { checkEveryMs: everyMs } = this.#options.settings;
    if (everyMs === 0) return;
    const failed = (error: unknown): void => this.#options.log.error({ err: error }, "cannot merge telemetry files");
    this.#work = this.#options.schedule.add("telemetry merges", { everyMs, run: () => this.runDue(), failed });
  }

  /** Merges until nothing is due, or joins a running run. Never rejects: failures are logged and retried later. */
  runDue(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops the schedule. The runner must end a merge under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work?.stop();
    await this.#running;
  }

  /** Merges each table once in turn, so that a large table does not delay the others. */
  async #run(): Promise<void> {
    for (let merged = true; merged && !this.#stopped;) {
      merged = false;
      for (const table of this.#options.tables.all()) {
        const next = this.#stopped ? undefined : this.#next(table);
        if (next === undefined) continue;
        await this.#try(table, next);
        merged = true;
      }
    }
  }

  #next(table: Table): Merge | undefined {
    const { clock, settings, isBehind } = this.#options;
    const now = clock.nowMs();
    if (table.parquet.length < settings.inputsMax && isBehind()) return undefined;
    if (now < (this.#idle.get(table.parquet) ?? 0)) return undefined;
    const readable = table.parquet.filter((file) => (this.#unreadable.get(file) ?? 0) <= now);
    const due = planMerges(readable, now, settings).find(
      ({ period }) => !this.#failed.isWaiting(nameOf(table, period)),
    );
    if (due === undefined) this.#idle.set(table.parquet, now + IDLE_MS);
    return due;
  }

  async #try(table: Table, merge: Merge): Promise<void> {
    const { clock, log } = this.#options;
    const name = nameOf(table, merge.period);
    try {
      await this.#options.merge(table, merge);
      this.#failed.forget(name);
    } catch (error) {
      if (this.#stopped) return;
      const { delayMs } = this.#failed.fail(name);
      // Skips a file that the failure names, so that the others of its day can be merged.
      const named = merge.inputs.filter(({ held }) => String(error).includes(basename(held.path)));
      if (named.length === 1) for (const file of named) this.#unreadable.set(file, clock.nowMs() + RETRY.maxMs);
      const fields = { org_id: table.orgId, type: table.type, period: merge.period, retry_in_ms: delayMs };
      log.error({ err: error, ...fields }, "cannot merge telemetry files");
    }
  }
}

function nameOf(table: Table, period: string): string {
  return `${table.orgId}/${table.type}/${period}`;
}
