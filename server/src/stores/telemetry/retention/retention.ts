import { earlier, type Cutoff, type GuardedClock } from "#kernel/deletions.ts";
import type { Table } from "../hot/table.ts";
import type { ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog } from "../settings.ts";
import { keptRows } from "./plans.ts";
import { cutUs, type Policies } from "./policies.ts";
import type { Rewriting } from "./rewriting.ts";

export interface RetentionOptions {
  readonly policies: Pick<Policies, "of">;
  readonly tables: { all(): Iterable<Table> };
  /** Drops files of a table for good. They are deleted when no query reads them any more. */
  readonly drop: (table: Table, files: readonly ParquetFile[]) => Promise<void>;
  /** The organizations whose rows must stay now. */
  readonly kept?: (() => Promise<ReadonlySet<string>>) | undefined;
  readonly clock: Pick<GuardedClock, "deletionTime">;
  /** Removes rows past their retention from files that also have others. */
  readonly rewriting: Pick<Rewriting, "rewrite">;
  /** Files are dropped this much after their last row is past the retention, so that a change can be undone. */
  readonly deleteAfterMs: number;
  readonly log: TelemetryLog;
}

/** Drops a file when its newest row is past the retention. */
export class Retention {
  readonly #options: RetentionOptions;
  #stopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Drops files. A failure of one table is logged, and the next run tries again. */
  async run(): Promise<void> {
    const { tables, clock, log } = this.#options;
    const trustedMs = clock.deletionTime("telemetry");
    if (trustedMs === null) return;
    const nowMs = earlier(trustedMs, this.#options.deleteAfterMs);
    const kept = await this.#options.kept?.();
    for (const table of tables.all()) {
      if (this.#stopped) return;
      if (kept?.has(table.orgId) === true) continue;
      const past = this.#past(table, nowMs);
      try {
        if (past.length > 0) await this.#drop(table, past);
        await this.#rewrite(table, nowMs);
      } catch (error) {
        log.error({ err: error, org_id: table.orgId, type: table.type }, "cannot drop telemetry past its retention");
      }
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Returns the files whose newest row is past the retention. */
  #past(table: Table, nowMs: Cutoff): ParquetFile[] {
    const cut = cutUs(this.#options.policies.of(table.orgId), table.type, nowMs);
    return cut === undefined ? [] : table.parquet.filter((file) => file.maxUs < cut);
  }

  async #rewrite(table: Table, nowMs: Cutoff): Promise<void> {
    const { policies, rewriting, log } = this.#options;
    const kept = keptRows(policies.of(table.orgId).plans, table.type, nowMs);
    if (kept === undefined) return;
    const { rows, files } = await rewriting.rewrite(table, kept, nowMs, () => this.#stopped);
    if (files === 0) return;
    const { orgId, type } = table;
    log.info({ org_id: orgId, type, files, rows }, "removed telemetry past retention from files");
  }

  async #drop(table: Table, past: readonly ParquetFile[]): Promise<void> {
    await this.#options.drop(table, past);
    const rows = past.reduce((sum, file) => sum + file.rows, 0);
    const bytes = past.reduce((sum, file) => sum + file.bytes, 0);
    const { orgId, type } = table;
    this.#options.log.info(
      { org_id: orgId, type, files: past.length, rows, bytes },
      "dropped telemetry past retention",
    );
  }
}
