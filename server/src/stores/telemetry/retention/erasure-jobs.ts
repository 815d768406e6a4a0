import { Backoff } from "#kernel/backoff.ts";
import type { Clock } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Layout } from "../layout.ts";
import type { TelemetryLog } from "../settings.ts";
import type { Eraser } from "./eraser.ts";
import type { ErasureRecords, ErasureTask } from "./erasure-records.ts";
import { quarantinedFiles, StillThere } from "./remains.ts";

export interface ErasureJobsOptions {
  readonly records: ErasureRecords;
  readonly eraser: Pick<Eraser, "erase">;
  /**
   * Moves every batch that was acknowledged before the call to Parquet, and deletes its log segments. Returns the last such
   * batch.
   * @throws Error when that is not possible now
   */
  readonly settle: () => Promise<number>;
  /** Erases rows of records. Resolves when the store and its files have no such row. */
  readonly eraseRecords: EraseRecords;
  readonly layout: Layout;
  /** The organizations whose rows must stay now. Their erasures wait, but not the end of a deleted organization. */
  readonly kept?: (() => Promise<ReadonlySet<string>>) | undefined;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

export type EraseRecords = (
  task: ErasureTask,
  count: (tx: Writer, rows: number) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

const ATTEMPTS_MAX = 10;
const RETRY = { firstMs: 2000, maxMs: 300_000 };

/** Runs the erasures of this directory one after the other, and records the outcome. */
export class ErasureJobs {
  readonly #options: ErasureJobsOptions;
  readonly #failures: Backoff<string>;
  readonly #stopping = new AbortController();

  constructor(options: ErasureJobsOptions) {
    this.#options = options;
    this.#failures = new Backoff(RETRY, options.clock);
  }

  /** @throws Error when the due tasks can't be read */
  async run(): Promise<void> {
    const { records } = this.#options;
    const tasks = await records.due();
    // Settled once. This covers all tasks, because each task's rows were acknowledged before the tasks were read.
    let settled: Promise<number> | undefined;
    const settle = (): Promise<number> => (settled ??= this.#options.settle());
    const kept = tasks.length === 0 ? undefined : await this.#options.kept?.();
    for (const task of tasks) {
      if (this.#stopping.signal.aborted) return;
      if (kept?.has(task.orgId) === true && task.predicate.match.everything !== true) continue;
      if (!this.#failures.isWaiting(task.id)) await this.#attempt(task, settle);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #attempt(task: ErasureTask, settle: () => Promise<number>): Promise<void> {
    const { records, eraser, eraseRecords, layout, log } = this.#options;
    try {
      await records.begin(task.id);
      if (task.types.includes("webhook_events"))
        await eraseRecords(task, (tx, rows) => records.count(tx, task.id, rows, 0), this.#stopping.signal);
      else await eraser.erase(task, await settle());
      const quarantined = await quarantinedFiles(layout, task.orgId, task.types);
      await records.finish(task.id, { state: "done", quarantined, detail: null });
      this.#failures.forget(task.id);
      log.info({ erasure_id: task.id, org_id: task.orgId }, "erased telemetry");
    } catch (error) {
      if (this.#stopping.signal.aborted || error instanceof StillThere) return;
      await this.#failed(task, error);
    }
  }

  async #failed(task: ErasureTask, error: unknown): Promise<void> {
    const { records, layout, log } = this.#options;
    const { failures: attempts } = this.#failures.fail(task.id);
    const fields = { erasure_id: task.id, org_id: task.orgId, attempts, cause: withoutMatch(task, error) };
    log.error(fields, "cannot erase telemetry");
    if (attempts < ATTEMPTS_MAX) return;
    const quarantined = await quarantinedFiles(layout, task.orgId, task.types);
    const detail =
      "some files could not be read or written; the reason is in the server's log. Create the erasure again after the operator has repaired it";
    await records.finish(task.id, { state: "failed", quarantined, detail });
    this.#failures.forget(task.id);
  }
}

/** Removes the values to erase from the error. The database's messages may quote them, and the log must not have them. */
function withoutMatch(task: ErasureTask, error: unknown): string {
  if (task.predicate.match.where !== undefined) return "an error in a condition, which is not logged";
  let text = error instanceof Error ? error.message : String(error);
  for (const value of textsIn(task.predicate.match)) {
    for (const form of [value, value.replaceAll("'", "''")]) if (form !== "") text = text.replaceAll(form, "…");
  }
  return text;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
