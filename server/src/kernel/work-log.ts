import type { Clock } from "./time.ts";

/** Periodic work of this process, and how it went since the start. */
export interface WorkState {
  readonly name: string;
  readonly everyMs: number;
  /** Since when it runs; null: not now. */
  readonly runningSinceMs: number | null;
  readonly last: { readonly startedMs: number; readonly durationMs: number; readonly failure: string | null } | null;
}

interface Watched {
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  running: { readonly startedMs: number; readonly ended: Promise<void> } | undefined;
  last: WorkState["last"];
}

const FAILURE_CHARS_MAX = 500;

/** Remembers when each periodic work last ran, and lets it run now. */
export class WorkLog {
  readonly #clock: Clock;
  readonly #works = new Map<string, Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the work with its runs remembered. It runs once at a time: who asks while it runs waits for that run. */
  watch(name: string, everyMs: number, work: () => Promise<void>): () => Promise<void> {
    const watched: Watched = { everyMs, run: () => this.#run(watched, work), running: undefined, last: null };
    this.#works.set(name, watched);
    return watched.run;
  }

  /** In the order in which they were begun. */
  list(): WorkState[] {
    return [...this.#works].map(([name, { everyMs, running, last }]) => ({
      name,
      everyMs,
      runningSinceMs: running?.startedMs ?? null,
      last,
    }));
  }

  /** Runs it now, without waiting for the end. False: there is no work of that name. A failure is in the list. */
  begin(name: string): boolean {
    const watched = this.#works.get(name);
    watched?.run().catch(() => undefined);
    return watched !== undefined;
  }

  #run(watched: Watched, work: () => Promise<void>): Promise<void> {
    if (watched.running !== undefined) return watched.running.ended;
    const startedMs = this.#clock.nowMs();
    const note = (failure: string | null): void => {
      watched.last = { startedMs, durationMs: Math.max(0, this.#clock.nowMs() - startedMs), failure };
      watched.running = undefined;
    };
    const ended = work().then(
      () => note(null),
      (error: unknown) => {
        note(String(error instanceof Error ? error.message : error).slice(0, FAILURE_CHARS_MAX));
        throw error;
      },
    );
    watched.running = { startedMs, ended };
    return ended;
  }
}
