import { Backoff } from "#kernel/backoff.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import type { WriteAheadLog } from "../log/log.ts";
import type { SegmentInfo } from "../log/segment.ts";
import type { CompactionSettings, TelemetryLog } from "../settings.ts";

export interface ScheduleOptions {
  readonly tables: Tables;
  readonly wal: WriteAheadLog;
  readonly settings: CompactionSettings;
  readonly clock: Clock;
  readonly log: TelemetryLog;
  readonly schedule: Schedule;
  readonly compact: (table: Table) => Promise<void>;
  /** Deletes what the log no longer needs. */
  readonly trim: () => Promise<void>;
}

const RETRY = { firstMs: 5000, maxMs: 300_000 };

/** Decides which table is compacted next, and when; one table at a time. */
export class CompactionSchedule {
  readonly #options: ScheduleOptions;
  readonly #failed: Backoff<Table>;
  #work: ScheduledWork | undefined;
  #running: Promise<void> | undefined;
  /** Number of `runAll` calls that wait for the running work, which may never end by itself. */
  #waiting = 0;
  #stopped = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#failed = new Backoff(RETRY, options.clock);
  }

  start(): void {
    const { checkEveryMs: everyMs } = this.#options.settings;
    if (everyMs === 0) return;
    const failed = (error: unknown): void => this.#options.log.error({ err: error }, "cannot compact telemetry");
    const run = (): Promise<void> => this.#runAndGoOn();
    this.#work = this.#options.schedule.add("telemetry files", { everyMs, run, failed, onlyAsked: true });
    this.#work.ask();
  }

  /** Called when rows were appended, to compact them in time. */
  noteTaken(): void {
    this.#work?.ask();
  }

  /** Runs the due work. The checks end once all rows are in Parquet and the log is empty. */
  async #runAndGoOn(): Promise<void> {
    try {
      await this.runDue();
    } finally {
      const { tables, wal } = this.#options;
      if (wal.bytes > 0 || [...tables.all()].some(({ hotRows }) => hotRows > 0)) this.#work?.ask();
    }
  }

  /** Compacts until nothing is due, or joins a running run. Never rejects: failures are logged and retried later. */
  runDue(): Promise<void> {
    return this.#join(() => this.#runDue());
  }

  /** Compacts all rows, due or not. */
  async runAll(): Promise<void> {
    this.#waiting += 1;
    await this.#running;
    this.#waiting -= 1;
    this.#failed.forgetAll();
    await this.#join(() => this.#runAll());
  }

  /** Stops the schedule. The runner must end a compaction under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work?.stop();
    await this.#running;
  }

  #join(run: () => Promise<void>): Promise<void> {
    this.#running ??= run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Runs one job of each table in turn, so that a large table does not delay the others. */
  async #runDue(): Promise<void> {
    for (;;) {
      const due = this.#due();
      for (const table of due) {
        if (this.#stopped) return;
        await this.#try(table);
      }
      await this.#trim();
      if (due.length === 0 || this.#waiting > 0) return;
    }
  }

  async #runAll(): Promise<void> {
    const tables = [...this.#options.tables.all()];
    for (const table of tables) {
      const { lastSeq } = table;
      while (table.compactedSeq < lastSeq && !this.#stopped && (await this.#try(table)));
    }
    await this.#trim();
  }

  async #trim(): Promise<void> {
    try {
      await this.#options.trim();
    } catch (error) {
      this.#options.log.warn({ err: error }, "cannot shorten the telemetry log");
    }
  }

  /** Returns whether it succeeded. */
  async #try(table: Table): Promise<boolean> {
    const { compact, log } = this.#options;
    try {
      await compact(table);
      this.#failed.forget(table);
      return true;
    } catch (error) {
      if (this.#stopped) return false;
      const { delayMs } = this.#failed.fail(table);
      const fields = { org_id: table.orgId, type: table.type, retry_in_ms: delayMs };
      log.error({ err: error, ...fields }, "cannot compact telemetry");
      return false;
    }
  }

  #due(): Table[] {
    const { tables, clock } = this.#options;
    const now = clock.nowMs();
    const blocking = this.#blockingSegment();
    return [...tables.all()].filter((table) => {
      if (table.hotRows === 0 || this.#failed.isWaiting(table)) return false;
      return this.#isLargeOrOld(table, now) || (blocking !== undefined && isHeldBackBy(blocking, table));
    });
  }

  #isLargeOrOld(table: Table, now: number): boolean {
    const { hotBytes, ageMs } = this.#options.settings;
    const { oldestAt } = table;
    return oldestAt !== undefined && (table.hotBytes >= hotBytes || now - oldestAt >= ageMs);
  }

  /** Returns the oldest segment when the log is too long. It is deleted once all its rows are compacted. */
  #blockingSegment(): SegmentInfo | undefined {
    const { wal, settings } = this.#options;
    return wal.bytes > settings.logBytes ? wal.segments[0] : undefined;
  }
}

function isHeldBackBy(segment: SegmentInfo, table: Table): boolean {
  return table.compactedSeq < (segment.tables.get(`${table.orgId}/${table.type}`) ?? 0);
}
