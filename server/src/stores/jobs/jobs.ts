import { newId } from "#kernel/ids.ts";
import type { Counter, LabelsOf, Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { Schedule, ScheduledWork } from "./schedule.ts";
import type { Job, JobHandler, Jobs, NewJob } from "./types.ts";
import {
  claimJobs,
  deleteJob,
  dueTimes,
  extendLease,
  finish,
  makeDue,
  pullForward,
  release,
  upsertJobs,
  WAITS,
  type Claimed,
  type JobRow,
  type Ran,
} from "./store.ts";

export interface JobsOptions {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /**
   * After this time another node takes over the job of a dead node. The clocks of all nodes must agree within a third
   * of it.
   */
  readonly leaseMs?: number;
  /** How often the queue is read for jobs of other nodes. Notifications usually arrive first. */
  readonly pollMs?: number;
  /** Its list has the work of the queue. */
  readonly schedule: Schedule;
  readonly metrics?: Metrics;
}

const LEASE_MS = 15_000;
const POLL_MS = 5000;
/** When the queue is read again after a failed read, or after another node had locked a job that is due. */
const AGAIN_MS = 1000;
/** How often the queue is checked for jobs whose times a wrong clock has set too far ahead. */
const MEND_EVERY_MS = 10_000;
/** When a job whose group must wait is looked at again, if nothing wakes it before. */
const WAIT_MS = 300_000;
const LAST_ERROR_CHARS_MAX = 500;

export function createJobs(options: JobsOptions): Jobs {
  return new Runner(options);
}

/** Another node has the job now, so this run must write nothing. */
class LeaseLost extends Error {}

interface Running {
  readonly row: JobRow;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

class Runner implements Jobs {
  readonly #metadata: MetadataStore;
  readonly #clock: Clock;
  readonly #log: JobsOptions["log"];
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #owner: string;
  readonly #running = new Map<string, Running>(); // by id and fence
  readonly #schedule: Schedule;
  readonly #runs: Counter<LabelsOf<"mooring_job_runs_total">> | undefined;
  #handlers: readonly JobHandler[] = [];
  #looking: ScheduledWork | undefined;
  #renewing: ScheduledWork | undefined;
  #stopListening: (() => void) | undefined;
  #mendedMs = Number.NEGATIVE_INFINITY;

  constructor({ metadata, clock, log, leaseMs = LEASE_MS, pollMs = POLL_MS, schedule, metrics }: JobsOptions) {
    this.#metadata = metadata;
    this.#clock = clock;
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
    this.#schedule = schedule;
    this.#runs = metrics?.counter("mooring_job_runs_total");
    this.#owner = newId("node", clock.nowMs());
  }

  async put(tx: Writer, ...jobs: readonly NewJob[]): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const rows = jobs.map((job) => ({
      id: newId("job", nowMs),
      kind: job.kind,
      key: job.key,
      group_key: job.group,
      payload: JSON.stringify(job.payload ?? null),
      due_at: job.dueAtMs,
      created_at: nowMs,
    }));
    await upsertJobs(this.#metadata.dialect, tx, rows);
    await this.#metadata.notify(tx, "job");
  }

  async remove(tx: Writer, kind: string, key: string): Promise<void> {
    await deleteJob(tx, kind, key);
  }

  async wake(tx: Writer, kind: string, keys: readonly string[]): Promise<void> {
    await makeDue(tx, kind, keys, this.#clock.nowMs());
    await this.#metadata.notify(tx, "job");
  }

  start(handlers: readonly JobHandler[]): void {
    this.#handlers = [...this.#handlers, ...handlers];
    for (const { kind, everyMs } of handlers) this.#schedule.declare(kind, everyMs ?? null);
    this.#mendedMs = Number.NEGATIVE_INFINITY;
    this.#looking ??= this.#startLooking();
    this.#looking.ask(0);
  }

  #startLooking(): ScheduledWork {
    const failed = (error: unknown): void => {
      this.#log.warn({ err: error }, "cannot look for jobs that are due");
      looking.ask(AGAIN_MS);
    };
    const looking = this.#schedule.add("queue", { everyMs: this.#pollMs, run: () => this.#look(), failed });
    this.#renewing = this.#schedule.add("queue leases", {
      everyMs: this.#leaseMs / 3,
      run: () => this.#renewAll(),
      failed: (error) => this.#log.warn({ err: error }, "cannot renew leases of jobs"),
      onlyAsked: true,
    });
    this.#stopListening = this.#metadata.onNotify("job", () => looking.ask(0));
    return looking;
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.#looking?.stop();
    for (const { abort } of this.#running.values()) abort.abort(new Error("the server stops"));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    await this.#renewing?.stop();
  }

  async #look(): Promise<void> {
    await this.#mendTimes();
    const free = (): string[] => this.#handlers.filter((each) => this.#places(each) > 0).map(({ kind }) => kind);
    const times = await dueTimes(this.#metadata, free());
    const nowMs = this.#clock.nowMs();
    const due = this.#handlers.filter(({ kind }) => (times.get(kind) ?? Number.POSITIVE_INFINITY) <= nowMs);
    for (const handler of due) await this.#claim(handler);
    this.#looking?.ask(this.#untilNext(due.length === 0 ? times : await dueTimes(this.#metadata, free())));
  }

  /**
   * Returns the milliseconds until the next job is due. Jobs that wait for a free place do not count: the end of a run
   * starts them.
   */
  #untilNext(times: ReadonlyMap<string, number>): number {
    const waitMs = Math.min(...times.values()) - this.#clock.nowMs();
    return Math.min(this.#pollMs, waitMs <= 0 ? AGAIN_MS : waitMs);
  }

  #places(handler: JobHandler): number {
    return handler.concurrency - this.#ofKind(handler.kind).length;
  }

  #ofKind(kind: string): Running[] {
    return [...this.#running.values()].filter(({ row }) => row.kind === kind);
  }

  async #claim(handler: JobHandler): Promise<void> {
    const { kind } = handler;
    for (let places = this.#places(handler); places > 0; places = this.#places(handler)) {
      const nowMs = this.#clock.nowMs();
      const dueAtMs = (await dueTimes(this.#metadata, [kind])).get(kind);
      if (dueAtMs === undefined || dueAtMs > nowMs) return; // so that an idle server writes nothing
      const counts = countBy(this.#ofKind(kind).map(({ row }) => row.group_key));
      const fullGroups = [...counts].filter(([, n]) => n >= handler.concurrencyPerGroup).map(([group]) => group);
      const claim = { kind, owner: this.#owner, nowMs, leaseMs: this.#leaseMs, limit: 1, fullGroups };
      const [claimed] = await this.#metadata.write((tx) => claimJobs(tx, this.#metadata.dialect, claim));
      if (claimed === undefined) return;
      this.#begin(handler, claimed);
    }
  }

  /** Corrects jobs whose times are too far in the future, because a clock ran ahead: makes them due now. */
  async #mendTimes(): Promise<void> {
    if (performance.now() - this.#mendedMs < MEND_EVERY_MS) return;
    this.#mendedMs = performance.now();
    for (const { kind, waitMsMax } of this.#handlers) {
      if (waitMsMax === undefined) continue;
      const nowMs = this.#clock.nowMs();
      const mended = await pullForward(this.#metadata, kind, { afterMs: nowMs + waitMsMax, nowMs });
      if (mended > 0) this.#log.warn({ kind, jobs: mended }, "jobs were due too far in the future; they are due now");
    }
  }

  #begin(handler: JobHandler, claimed: Claimed): void {
    const { row } = claimed;
    const key = `${row.id} ${row.fence}`;
    const abort = new AbortController();
    const former = [...this.#running.values()].filter((each) => each.row.id === row.id);
    for (const each of former) each.abort.abort(new LeaseLost("the job was changed"));
    const free = Promise.all(former.map((each) => each.ended));
    const ended = this.#run(handler, claimed, { abort, free })
      .catch((error: unknown) => this.#log.warn({ err: error, kind: row.kind, key: row.key }, "cannot finish a job"))
      .then(() => {
        this.#running.delete(key);
        this.#looking?.ask(0);
      });
    this.#running.set(key, { row, abort, ended });
    this.#renewing?.ask();
  }

  async #run(
    handler: JobHandler,
    { row, dueAtMs }: Claimed,
    { abort, free }: { abort: AbortController; free: Promise<unknown> },
  ): Promise<void> {
    const { kind, key, attempts, fence } = row;
    const ran = stopwatch(this.#clock);
    const payload: unknown = JSON.parse(row.payload);
    const job: Job = { kind, key, group: row.group_key, payload, dueAtMs, attempts, fence, signal: abort.signal };
    try {
      await free;
      abort.signal.throwIfAborted();
      if ((await handler.waits?.(job.group)) === true) return await this.#postpone(row);
      const outcome = await handler.run(job);
      abort.signal.throwIfAborted();
      await this.#finish(row, { dueAtMs: outcome.dueAtMs, ran: ran() }, outcome.commit?.bind(outcome));
      this.#runs?.inc({ kind, result: "done" });
    } catch (error) {
      if (!(error instanceof LeaseLost)) await this.#failed(handler, row, { signal: abort.signal, ran: ran() }, error);
    }
  }

  async #finish(
    row: JobRow,
    { dueAtMs, ran }: { dueAtMs: number | null; ran: Ran },
    commit: ((tx: Writer) => Promise<void>) | undefined,
  ): Promise<void> {
    await this.#metadata.write(async (tx) => {
      const ours =
        dueAtMs === null
          ? await finish(tx, row)
          : await release(tx, row, { dueAtMs, attempts: 0, lastError: null, ran });
      if (!ours) throw new LeaseLost("another node has taken over the job");
      await commit?.(tx);
    });
  }

  async #postpone(row: JobRow): Promise<void> {
    const dueAtMs = this.#clock.nowMs() + WAIT_MS;
    await this.#metadata.write((tx) => release(tx, row, { dueAtMs, attempts: row.attempts, lastError: WAITS }));
  }

  /** Saves a failed run. A run that the stop has ended is not a failure: the next node takes the job at once. */
  async #failed(
    handler: JobHandler,
    row: JobRow,
    { signal, ran }: { signal: AbortSignal; ran: Ran },
    error: unknown,
  ): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const attempts = signal.aborted ? row.attempts : row.attempts + 1;
    const retryMs = signal.aborted ? 0 : handler.retryMs(attempts);
    const lastError = String(error instanceof Error ? error.message : error).slice(0, LAST_ERROR_CHARS_MAX);
    const { kind, key } = row;
    if (!signal.aborted) {
      this.#runs?.inc({ kind, result: retryMs === null ? "given up" : "failed" });
      this.#log.warn({ err: error, kind, key, attempts, given_up: retryMs === null }, "a job failed");
    }
    await this.#metadata.write((tx) =>
      retryMs === null ? finish(tx, row) : release(tx, row, { dueAtMs: nowMs + retryMs, attempts, lastError, ran }),
    );
  }

  async #renewAll(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ row, abort }) => this.#renew(row, abort)));
    if (this.#running.size > 0) this.#renewing?.ask();
  }

  async #renew(row: JobRow, abort: AbortController): Promise<void> {
    const untilMs = this.#clock.nowMs() + this.#leaseMs;
    try {
      const ours = await this.#metadata.write((tx) => extendLease(tx, row, untilMs));
      if (!ours) abort.abort(new LeaseLost("another node has taken over the job"));
    } catch (error) {
      this.#log.warn({ err: error, kind: row.kind, key: row.key }, "cannot renew the lease of a job");
    }
  }
}

function stopwatch(clock: Clock): () => Ran {
  const startedMs = clock.nowMs();
  const beganMs = performance.now();
  return () => ({ startedMs, durationMs: Math.round(performance.now() - beganMs) });
}

function countBy(groups: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}
