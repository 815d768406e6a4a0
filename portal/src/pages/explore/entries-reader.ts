import type { QueryEvent } from "../../api/stream.ts";
import { justAfter, type LogEntry } from "./entry.ts";

interface Bounds {
  readonly from: string;
  readonly to: string;
}

export interface EntriesState {
  /** Newest first. */
  readonly entries: readonly LogEntry[];
  readonly isLoading: boolean;
  /** Whether all entries of the range are loaded. */
  readonly isWhole: boolean;
  /** Whether the reading was cancelled. */
  readonly isStopped: boolean;
  readonly error: Error | null;
  readonly bytesScanned: number;
}

/** The most entries in memory. To see more, people choose a range that ends at the last loaded entry. */
export const ENTRIES_MAX = 100_000;

const FIRST_PAGE = 300;
const PAGE = 1000;
/** The most entries of one microsecond that can be read. */
const PAGE_MAX = 50_000;
const FIRST_WINDOW_MS = 15 * 60_000;
const WIDER = 16;
/** The least time between two updates of the page, even if entries arrive in small pieces. */
const SHOWN_EVERY_MS = 100;

type Ask = (bounds: Bounds, limit: number, signal: AbortSignal) => AsyncGenerator<QueryEvent, void>;

/**
 * Reads the entries of a range from its end to its beginning, page by page. A page never ends among entries of the same
 * time, so no entry is read twice or missed. Each query reads a window of the range. Windows grow while they have few
 * entries.
 */
export class EntriesReader {
  readonly #ask: Ask;
  readonly #bounds: Bounds;
  #page: AbortController | null = null;
  readonly #listeners = new Set<() => void>();
  #cursor: string;
  #windowMs = FIRST_WINDOW_MS;
  #state: EntriesState = {
    entries: [],
    isLoading: false,
    isWhole: false,
    isStopped: false,
    error: null,
    bytesScanned: 0,
  };

  constructor(ask: Ask, bounds: Bounds) {
    this.#ask = ask;
    this.#bounds = bounds;
    this.#cursor = bounds.to;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): EntriesState => this.#state;

  /** Cancels the running query, also on the server. Loaded entries stay. */
  stop(): void {
    this.release();
    this.#change({ isStopped: true });
  }

  /** Cancels the running query when the person leaves the page. `more` can continue later. */
  release(): void {
    this.#page?.abort();
  }

  /** Reads the next page, unless a read is running or all entries are loaded. */
  async more(): Promise<void> {
    const { isLoading, isWhole, isStopped, entries } = this.#state;
    if (isLoading || isWhole || isStopped || entries.length >= ENTRIES_MAX) return;
    const page = new AbortController();
    this.#page = page;
    this.#change({ isLoading: true, error: null });
    try {
      await this.#read(entries.length === 0 ? FIRST_PAGE : PAGE, page.signal);
      this.#change({ isLoading: false });
    } catch (error) {
      this.#change({ isLoading: false, error: page.signal.aborted ? null : (error as Error) });
    }
  }

  async #read(wanted: number, signal: AbortSignal): Promise<void> {
    let limit = wanted;
    for (let missing = wanted; missing > 0;) {
      const from = this.#windowStart();
      const before = this.#state.entries.length;
      const { got, held } = await this.#window({ from, to: this.#cursor }, limit, signal);
      if (got < limit) {
        // The whole window is read, so the held entries of its last time are complete.
        this.#append(held);
        missing -= got;
        this.#cursor = from;
        this.#windowMs *= WIDER;
        if (from === this.#bounds.from) {
          this.#change({ isWhole: true });
          return;
        }
      } else {
        const [{ timestamp: last } = { timestamp: from }] = held;
        if (this.#state.entries.length > before) {
          this.#windowMs = Math.max(1000, (Date.parse(this.#cursor) - Date.parse(last)) * 4);
          this.#cursor = justAfter(last);
          return;
        }
        if (limit >= PAGE_MAX)
          throw new Error(`More than ${PAGE_MAX} entries have the time ${last}. Narrow the search.`);
        limit = Math.min(PAGE_MAX, limit * 8);
      }
    }
  }

  #windowStart(): string {
    const fromMs = Date.parse(this.#cursor) - this.#windowMs;
    return fromMs <= Date.parse(this.#bounds.from) ? this.#bounds.from : new Date(fromMs).toISOString();
  }

  /** Reads the entries of a window. It holds back the entries of the last time, because more of them may follow. */
  async #window(bounds: Bounds, limit: number, signal: AbortSignal): Promise<{ got: number; held: LogEntry[] }> {
    let held: LogEntry[] = [];
    let ready: LogEntry[] = [];
    let got = 0;
    let shownMs = performance.now();
    try {
      for await (const event of this.#ask(bounds, limit, signal)) {
        if (event.kind === "end")
          this.#change({ bytesScanned: this.#state.bytesScanned + event.end.statistics.bytes_scanned });
        if (event.kind !== "rows") continue;
        const rows = [...held, ...(event.rows as unknown as LogEntry[])];
        got += event.rows.length;
        const last = rows.at(-1)?.timestamp;
        const firstHeld = rows.findIndex(({ timestamp }) => timestamp === last);
        held = rows.slice(firstHeld);
        for (const row of rows.slice(0, firstHeld)) ready.push(row);
        if (performance.now() - shownMs < SHOWN_EVERY_MS) continue;
        shownMs = performance.now();
        this.#append(ready);
        ready = [];
      }
    } catch (error) {
      // The entries are complete down to the held time. Reading continues there.
      if (held[0] !== undefined) this.#cursor = justAfter(held[0].timestamp);
      throw error;
    } finally {
      this.#append(ready);
    }
    return { got, held };
  }

  #append(entries: readonly LogEntry[]): void {
    if (entries.length > 0) this.#change({ entries: [...this.#state.entries, ...entries] });
  }

  #change(part: Partial<EntriesState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}
