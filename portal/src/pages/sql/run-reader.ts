import type { QueryEvent, ResultColumn, ResultEnd, ResultRow } from "../../api/stream.ts";

export interface RunState {
  readonly status: "idle" | "running" | "done" | "failed" | "cancelled";
  /** The statement that ran. */
  readonly sql: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** The number of rows that have arrived, including those not shown yet. */
  readonly arrived: number;
  readonly end: ResultEnd | null;
  readonly error: Error | null;
  readonly startedMs: number;
  /** The time from the start to the last row. */
  readonly tookMs: number | null;
}

const IDLE: RunState = {
  status: "idle",
  sql: "",
  columns: [],
  rows: [],
  arrived: 0,
  end: null,
  error: null,
  startedMs: 0,
  tookMs: null,
};

/**
 * The interval of updates of the row count. The rows themselves are published when their number has doubled, since the
 * grid sorts all of them each time.
 */
const PASS_ON_MS = 120;

type Ask = (signal: AbortSignal) => AsyncGenerator<QueryEvent, void>;

/** Runs one statement at a time. A new one cancels the previous one, also on the server. */
export class RunReader {
  readonly #listeners = new Set<() => void>();
  #run: AbortController | null = null;
  #state: RunState = IDLE;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RunState => this.#state;

  /** Cancels the running statement. Rows that have arrived stay. */
  cancel(): void {
    this.#run?.abort();
  }

  /** Resolves when the statement has ended, also after an error. */
  async run(sql: string, ask: Ask): Promise<RunState> {
    this.cancel();
    const run = new AbortController();
    this.#run = run;
    const startedMs = performance.now();
    let state: RunState = { ...IDLE, status: "running", sql, startedMs };
    const tell = (part: Partial<RunState>): void => {
      state = { ...state, ...part };
      if (this.#run === run) this.#change(state);
    };
    tell({});
    const rows: ResultRow[] = [];
    let passedOnMs = startedMs;
    try {
      for await (const event of ask(run.signal)) {
        if (event.kind === "columns") tell({ columns: event.columns });
        if (event.kind === "end") tell({ end: event.end });
        if (event.kind !== "rows") continue;
        for (const row of event.rows) rows.push(row);
        if (performance.now() - passedOnMs < PASS_ON_MS) continue;
        passedOnMs = performance.now();
        tell(
          rows.length >= state.rows.length * 2 ? { rows: [...rows], arrived: rows.length } : { arrived: rows.length },
        );
      }
      tell({ status: "done", rows, arrived: rows.length, tookMs: performance.now() - startedMs });
    } catch (error) {
      const isCancelled = run.signal.aborted;
      const ended = { rows, arrived: rows.length, tookMs: performance.now() - startedMs };
      tell(isCancelled ? { ...ended, status: "cancelled" } : { ...ended, status: "failed", error: error as Error });
    }
    return state;
  }

  #change(state: RunState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
