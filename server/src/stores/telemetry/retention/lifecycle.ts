import type { GuardedClock } from "#kernel/deletions.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "../columns.ts";
import type { ParquetFiles } from "../compaction/files.ts";
import type { CompactionRunner } from "../compaction/protocol.ts";
import type { Tables } from "../hot/tables.ts";
import type { Layout } from "../layout.ts";
import type { TelemetryLog } from "../settings.ts";
import type { TimeRange } from "../snapshot.ts";
import { Eraser } from "./eraser.ts";
import { ErasureJobs } from "./erasure-jobs.ts";
import { ErasureRecords } from "./erasure-records.ts";
import { cutUs, Policies, type Policy } from "./policies.ts";
import { Quotas } from "./quotas.ts";
import { Retention, type RetentionOptions } from "./retention.ts";
import type { RetentionSettings } from "./settings.ts";
import { usageOf, type Usage } from "./usage.ts";

export interface LifecycleOptions {
  readonly metadata: MetadataStore;
  /** The directory's, see `store-id.ts`. */
  readonly storeId: string;
  readonly layout: Layout;
  readonly tables: Tables;
  readonly files: ParquetFiles;
  /** Rewrites files; of its own, since each runs one job at a time. */
  readonly runner: CompactionRunner;
  readonly settings: RetentionSettings;
  readonly clock: GuardedClock;
  readonly log: TelemetryLog;
}

interface Parts {
  readonly options: LifecycleOptions;
  readonly policies: Policies;
  readonly retention: Retention;
  readonly records: ErasureRecords;
}

const US_PER_MS = 1000;

/** How long and how much is kept: policies, quotas, what is past its retention, what is to be erased. */
export class Lifecycle {
  readonly quotas: Quotas;
  readonly #parts: Parts;
  #jobs: ErasureJobs | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #dropping: Promise<void> | undefined;
  #erasing: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { options, policies } = parts;
    this.#parts = parts;
    this.quotas = new Quotas({ policies, tables: options.tables, clock: options.clock });
  }

  /** Begins to drop and to erase. `settle` is that of `ErasureJobsOptions`. */
  start(settle: () => Promise<number>): void {
    const { options, records } = this.#parts;
    const eraser = new Eraser({ ...options, count: (tx, id, rows) => records.count(tx, id, rows) });
    this.#jobs = new ErasureJobs({ ...options, records, eraser, settle });
    const { checkEveryMs, policiesEveryMs } = options.settings;
    if (checkEveryMs === 0) return;
    this.#timers.push(setInterval(() => void this.dropPast(), checkEveryMs).unref());
    this.#timers.push(setInterval(() => void this.eraseDue(), policiesEveryMs).unref());
    void this.dropPast();
    void this.eraseDue();
  }

  policy(orgId: string): Policy {
    return this.#parts.policies.of(orgId);
  }

  usage(orgId: string): Usage {
    return usageOf(this.#parts.options.tables.ofOrganization(orgId));
  }

  /** Rows of these times are not past their retention; read by every query, so that retention is exact whenever files go. */
  shown(orgId: string): Readonly<Record<TelemetryType, TimeRange>> {
    const policy = this.policy(orgId);
    const nowMs = this.#parts.options.clock.nowMs();
    const ranges = TELEMETRY_TYPES.map((type) => [type, { fromUs: cutUs(policy, type, nowMs) }]);
    return Object.fromEntries(ranges) as Record<TelemetryType, TimeRange>;
  }

  /** See `TelemetryStore.notBefore`. While the clock is in doubt nothing is refused by it. */
  notBefore(orgId: string, type: TelemetryType): string | undefined {
    const { options } = this.#parts;
    const cut = cutUs(this.policy(orgId), type, options.clock.nowMs());
    if (cut === undefined || !options.clock.isTrusted()) return undefined;
    return `${isoFromMs(Math.floor(cut / US_PER_MS)).slice(0, -1)}000Z`;
  }

  /** Applies what was changed in the metadata store at once, instead of within seconds. */
  async refresh(): Promise<void> {
    await this.#parts.policies.refresh();
    if (this.#timers.length > 0) void this.eraseDue();
  }

  /** Drops what is past its retention; joins a run that is under way. Never rejects. */
  dropPast(): Promise<void> {
    this.#dropping ??= this.#logged("cannot drop telemetry past its retention", () =>
      this.#parts.retention.run(),
    ).finally(() => {
      this.#dropping = undefined;
    });
    return this.#dropping;
  }

  /** Erases what is due; joins a run that is under way. Never rejects. */
  eraseDue(): Promise<void> {
    this.#erasing ??= this.#logged("cannot look for what is to be erased", async () => this.#jobs?.run()).finally(
      () => {
        this.#erasing = undefined;
      },
    );
    return this.#erasing;
  }

  /** Work under way must be ended by its runner; the next start goes on with it. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#jobs?.stop();
    this.#parts.retention.stop();
    await Promise.all([this.#dropping, this.#erasing, this.#parts.policies.stop()]);
  }

  async #logged(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.options.log.error({ err: error }, message);
    }
  }
}

/** @throws Error when the policies can't be read */
export async function openLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const policies = new Policies(options);
  await registerStore(options);
  await policies.start();
  const drop: RetentionOptions["drop"] = (table, past) => options.files.replace(table, past, []);
  const retention = new Retention({ ...options, policies, drop });
  return new Lifecycle({ options, policies, retention, records: new ErasureRecords(options) });
}

/** Makes the directory known to all servers of the database: an erasure waits for every one that is. */
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
