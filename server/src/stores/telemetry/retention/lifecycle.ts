import type { GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryType } from "../columns.ts";
import { STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import type { ParquetFiles } from "../compaction/files.ts";
import type { CompactionRunner } from "../compaction/protocol.ts";
import type { Tables } from "../hot/tables.ts";
import type { Layout } from "../layout.ts";
import type { TelemetryLog } from "../settings.ts";
import type { ShownRows } from "../snapshot.ts";
import { Eraser } from "./eraser.ts";
import { ErasureJobs, type EraseRecords } from "./erasure-jobs.ts";
import { ErasureRecords } from "./erasure-records.ts";
import { acceptedTimesOf, Policies, shownRows, type AcceptedTimes, type Policy } from "./policies.ts";
import { keptRows, keptSql, oldestUs, planOf, type RetentionChoice } from "./plans.ts";
import { Quotas } from "./quotas.ts";
import { Retention, type RetentionOptions } from "./retention.ts";
import { Rewriting } from "./rewriting.ts";
import type { RetentionSettings } from "./settings.ts";
import { usageOf, type Usage } from "./usage.ts";

export interface LifecycleOptions {
  readonly metadata: MetadataStore;
  /** The directory's identifier, see `store-id.ts`. */
  readonly storeId: string;
  readonly layout: Layout;
  readonly tables: Tables;
  readonly files: ParquetFiles;
  /** Rewrites files. It is separate from the other runners, because each runs one job at a time. */
  readonly runner: CompactionRunner;
  readonly settings: RetentionSettings;
  readonly eraseRecords: EraseRecords;
  /** The organizations whose rows must stay now. Default: none. */
  readonly kept?: (() => Promise<ReadonlySet<string>>) | undefined;
  readonly clock: GuardedClock;
  readonly log: TelemetryLog;
  readonly schedule: Schedule;
}

interface Parts {
  readonly options: LifecycleOptions;
  readonly policies: Policies;
  readonly retention: Retention;
  readonly records: ErasureRecords;
}

/** Connects policies, quotas, retention and erasures. */
export class Lifecycle {
  readonly quotas: Quotas;
  readonly #parts: Parts;
  #jobs: ErasureJobs | undefined;
  #dropWork: ScheduledWork | undefined;
  #eraseWork: ScheduledWork | undefined;
  #dropping: Promise<void> | undefined;
  #erasing: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { options, policies } = parts;
    this.#parts = parts;
    this.quotas = new Quotas({ policies, tables: options.tables, clock: options.clock });
  }

  /** Starts retention and erasures. `settle`: see `ErasureJobsOptions`. */
  start(settle: () => Promise<number>): void {
    const { options, records } = this.#parts;
    const eraser = new Eraser({ ...options, count: (tx, id, rows) => records.count(tx, id, rows) });
    this.#jobs = new ErasureJobs({ ...options, records, eraser, settle });
    const { checkEveryMs, policiesEveryMs } = options.settings;
    if (checkEveryMs === 0) return;
    const { schedule } = options;
    this.#dropWork = schedule.add("telemetry retention", {
      everyMs: checkEveryMs,
      run: () => this.dropPast(),
      failed: this.#failed("cannot drop telemetry past its retention"),
    });
    this.#eraseWork = schedule.add("telemetry erasures", {
      everyMs: policiesEveryMs,
      run: () => this.eraseDue(),
      failed: this.#failed("cannot look for rows to erase"),
    });
    for (const work of [this.#dropWork, this.#eraseWork]) work.ask(0);
  }

  policy(orgId: string): Policy {
    return this.#parts.policies.of(orgId);
  }

  organizationsWithAccessLog(): string[] {
    return this.#parts.policies.withAccessLog();
  }

  usage(orgId: string): Usage {
    return usageOf(this.#parts.options.tables.ofOrganization(orgId));
  }

  /**
   * Returns the times of rows that are not past their retention. Every query reads this, so rows are hidden exactly on time,
   * however late their files are deleted.
   */
  shown(orgId: string): Readonly<Record<StoredTable, ShownRows>> {
    const policy = this.policy(orgId);
    const nowMs = this.#parts.options.clock.nowMs();
    const ranges = STORED_TABLES.map((type) => [type, shownRows(policy, type, nowMs)]);
    return Object.fromEntries(ranges) as Record<StoredTable, ShownRows>;
  }

  /** Implements `TelemetryStore.pastSql`. */
  pastSql(type: TelemetryType, choice: RetentionChoice): string {
    const { options } = this.#parts;
    const plans = [planOf(choice, options.settings)];
    const nowMs = options.clock.nowMs();
    const kept = keptRows(plans, type, nowMs) ?? {
      plans: [{ rules: [], fromUs: oldestUs(plans, type, nowMs) ?? null }],
    };
    return `NOT ${keptSql(type, kept)}`;
  }

  /** Implements `TelemetryStore.acceptedTimes`. Refuses nothing while the clock is in doubt. */
  acceptedTimes(orgId: string, type: TelemetryType): AcceptedTimes | undefined {
    const { clock } = this.#parts.options;
    if (!clock.isTrusted()) return undefined;
    return acceptedTimesOf(this.policy(orgId), type, clock.nowMs());
  }

  /** Applies changes in the metadata store at once. Otherwise this takes seconds. */
  async refresh(): Promise<void> {
    await this.#parts.policies.refresh();
    this.#eraseWork?.ask(0);
  }

  /** Drops rows past their retention. If a run is in progress, waits for that one. */
  dropPast(): Promise<void> {
    this.#dropping ??= this.#parts.retention.run().finally(() => {
      this.#dropping = undefined;
    });
    return this.#dropping;
  }

  /** Erases due rows. If a run is in progress, waits for that one. */
  eraseDue(): Promise<void> {
    this.#erasing ??= (this.#jobs?.run() ?? Promise.resolve()).finally(() => {
      this.#erasing = undefined;
    });
    return this.#erasing;
  }

  /** The caller must have the runner end the running work. The next start continues it. */
  async stop(): Promise<void> {
    this.#jobs?.stop();
    this.#parts.retention.stop();
    const works = [this.#dropWork, this.#eraseWork, this.#parts.policies];
    await Promise.allSettled([...works.map((work) => work?.stop()), this.#dropping, this.#erasing]);
  }

  #failed(message: string): (error: unknown) => void {
    return (error) => this.#parts.options.log.error({ err: error }, message);
  }
}

/** @throws Error when the policies can't be read */
export async function openLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const policies = new Policies(options);
  await registerStore(options);
  await policies.start();
  const runner = oneAtATime(options.runner);
  const drop: RetentionOptions["drop"] = (table, past) => options.files.replace(table, past, []);
  const rewriting = new Rewriting({ ...options, runner });
  const { deleteAfterMs } = options.settings;
  const retention = new Retention({ ...options, policies, drop, rewriting, deleteAfterMs });
  return new Lifecycle({ options: { ...options, runner }, policies, retention, records: new ErasureRecords(options) });
}

/** Erasures and retention use the same process, which does one job at a time. */
function oneAtATime(runner: CompactionRunner): CompactionRunner {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (job) => {
      const run = last.then(() => runner.run(job));
      last = run.catch(() => undefined);
      return run;
    },
    close: () => runner.close(),
  };
}

/** Registers the directory in the database. An erasure waits for every registered directory. */
async function registerStore({ metadata, storeId, clock }: LifecycleOptions): Promise<void> {
  const row = { id: storeId, seen_at: clock.nowMs(), drops_held_until: null };
  await metadata.write((tx) =>
    tx
      .insertInto("telemetry_store")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}
