import type { Clock } from "#kernel/time.ts";
import { PERIODIC_WORK, type PeriodicRow, type WorkName } from "./periodic.ts";

export interface WorkOptions {
  readonly everyMs: number;
  run(): Promise<void>;
  /** Called with the error of each failed run. The work runs again at its next time. */
  failed(error: unknown): void;
  /** True: it runs only after `ask`, within `everyMs`. */
  readonly onlyAsked?: boolean;
}

/** Work in the schedule. Only one run of it is under way at a time. */
export interface ScheduledWork {
  /** Runs the work now, or waits for the run under way. Rejects when the run fails. */
  run(): Promise<void>;
  /**
   * Makes the work run within this time, or within its interval when absent. During a run, the time counts from the end
   * of that run.
   */
  ask(withinMs?: number): void;
  /** Starts no more runs, and waits for the run under way. */
  stop(): Promise<void>;
}

/** The state of periodic work on this process since its start. */
export interface WorkState extends PeriodicRow {
  readonly name: WorkName;
  /** Null when each of its jobs has its own interval. */
  readonly everyMs: number | null;
  /** Null when it is not running. */
  readonly runningSinceMs: number | null;
  /** Null when it runs only after `ask`, or when the queue decides. */
  readonly nextAtMs: number | null;
  readonly last: { readonly startedMs: number; readonly durationMs: number; readonly failure: string | null } | null;
}

const FAILURE_CHARS_MAX = 500;
/** Work that is due this soon runs together with the work that is due now, to save a wake-up. */
const TOGETHER_MS_MAX = 100;
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The one timer of all periodic work of this process. It does not keep the process alive. */
export class Schedule {
  readonly #clock: Clock;
  readonly #works = new Map<WorkName, Work>();
  /** Intervals of the job kinds that this process runs. */
  readonly #kinds = new Map<string, number | null>();
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds work. Its first run is one interval from now. */
  add(name: WorkName, options: WorkOptions): ScheduledWork {
    const work = new Work(options, { clock: this.#clock, changed: () => this.#plan() });
    this.#works.set(name, work);
    this.#plan();
    return work;
  }

  /** Records that jobs of this kind run here. Kinds that do not repeat are not listed. */
  declare(kind: string, everyMs: number | null): void {
    this.#kinds.set(kind, everyMs);
  }

  /** Lists the work in the order of `PERIODIC_WORK`. For work of one node, only the records have all runs. */
  list(): WorkState[] {
    const rows = Object.entries(PERIODIC_WORK) as [WorkName, PeriodicRow][];
    return rows.flatMap(([name, row]) => {
      const everyMs = this.#kinds.get(row.kind ?? "");
      const ofQueue = everyMs === undefined ? undefined : { everyMs, runningSinceMs: null, nextAtMs: null, last: null };
      const state = this.#works.get(name)?.state() ?? ofQueue;
      return state === undefined ? [] : [{ name, ...row, ...state }];
    });
  }

  /**
   * Starts a run now without waiting for its end. Returns false if no such work is in the schedule. The list shows a
   * failure.
   */
  begin(name: string): boolean {
    const work = this.#works.get(name as WorkName);
    work?.begin();
    return work !== undefined;
  }

  #plan(): void {
    const atMs = Math.min(...[...this.#works.values()].map(({ dueMs }) => dueMs));
    if (atMs === this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(0, atMs - performance.now()));
    this.#timer = setTimeout(() => this.#beginDue(), Math.ceil(waitMs)).unref();
  }

  #beginDue(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (const work of this.#works.values()) if (work.dueMs - work.togetherMs <= nowMs) work.begin();
    this.#plan();
  }
}

class Work implements ScheduledWork {
  readonly #options: WorkOptions;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly togetherMs: number;
  /** By the monotonic clock. Infinite during a run, and for `onlyAsked` work that nobody asked for. */
  dueMs = Number.POSITIVE_INFINITY;
  /** When to run again because of an `ask` during the run. */
  #askedMs = Number.POSITIVE_INFINITY;
  #running: { readonly startedMs: number; readonly ended: Promise<void> } | undefined;
  #last: WorkState["last"] = null;
  #isStopped = false;

  constructor(options: WorkOptions, parts: { readonly clock: Clock; readonly changed: () => void }) {
    this.#options = options;
    this.#clock = parts.clock;
    this.#changed = parts.changed;
    this.togetherMs = Math.min(TOGETHER_MS_MAX, options.everyMs / 10);
    if (options.onlyAsked !== true) this.dueMs = performance.now() + options.everyMs;
  }

  run(): Promise<void> {
    this.#running ??= this.#start();
    return this.#running.ended;
  }

  begin(): void {
    if (this.#isStopped || this.#running !== undefined) return;
    this.run().catch(() => undefined); // the caller of `failed` has reported it
  }

  ask(withinMs = this.#options.everyMs): void {
    const atMs = performance.now() + withinMs;
    if (this.#running !== undefined) this.#askedMs = Math.min(this.#askedMs, atMs);
    else if (withinMs <= 0) this.begin();
    else if (atMs < this.dueMs && !this.#isStopped) {
      this.dueMs = atMs;
      this.#changed();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#changed();
    await this.#running?.ended.catch(() => undefined);
  }

  state(): Pick<WorkState, "everyMs" | "runningSinceMs" | "nextAtMs" | "last"> {
    const inMs = this.dueMs - performance.now();
    return {
      everyMs: this.#options.everyMs,
      runningSinceMs: this.#running?.startedMs ?? null,
      nextAtMs: Number.isFinite(inMs) ? this.#clock.nowMs() + Math.max(0, Math.round(inMs)) : null,
      last: this.#last,
    };
  }

  #start(): { startedMs: number; ended: Promise<void> } {
    const startedMs = this.#clock.nowMs();
    const beganMs = performance.now();
    this.dueMs = Number.POSITIVE_INFINITY;
    const note = (failure: string | null): void => {
      this.#last = { startedMs, durationMs: Math.round(performance.now() - beganMs), failure };
      this.#running = undefined;
      this.#planNext(beganMs);
    };
    const ended = Promise.resolve()
      .then(() => this.#options.run())
      .then(
        () => note(null),
        (error: unknown) => {
          note(String(error instanceof Error ? error.message : error).slice(0, FAILURE_CHARS_MAX));
          this.#options.failed(error);
          throw error;
        },
      );
    return { startedMs, ended };
  }

  /** Plans the next run. A run that took longer than the interval skips the times that it missed. */
  #planNext(beganMs: number): void {
    if (this.#isStopped) return;
    const nowMs = performance.now();
    const { everyMs, onlyAsked } = this.#options;
    const intervals = Math.max(1, Math.ceil((nowMs - beganMs) / everyMs));
    const plannedMs = onlyAsked === true ? Number.POSITIVE_INFINITY : beganMs + intervals * everyMs;
    this.dueMs = Math.min(this.#askedMs, plannedMs);
    this.#askedMs = Number.POSITIVE_INFINITY;
    if (this.dueMs <= nowMs) this.begin();
    else this.#changed();
  }
}
