import type { QueryEvent, ResultColumn, ResultEnd, ResultRow } from "../../api/stream.ts";

export interface RunState {
  readonly status: "idle" | "running" | "done" | "failed" | "cancelled";
  /** The statement that ran. */
  readonly sql: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Rows that have come, also those that are not shown yet. */
  readonly arrived: number;
  readonly end: ResultEnd | null;
  readonly error: Error | null;
  readonly startedMs: number;
  /** From the press to the last row. */
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
 * The row count is reported this often. The rows are passed on when their number has doubled: the grid looks at all
 * of them each time.
 */
const PASS_ON_MS = 120;

type Ask = (signal: AbortSignal) => AsyncGenerator<QueryEvent, void>;

/** Runs one statement at a time: a new one ends the one before, on the server too. */
export class RunReader {
  readonly #listeners = new Set<() => void>();
  #run: AbortController | null = null;
  #state: RunState = IDLE;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RunState => this.#state;

  /** Ends what runs; the rows that came stay. */
  cancel(): void {
    this.#run?.abort();
  }

  /** Resolves when it ended, however it did. */
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
