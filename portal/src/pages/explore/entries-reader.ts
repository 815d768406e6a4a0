import type { QueryEvent } from "../../api/stream.ts";
import { justAfter, type LogEntry } from "./entry.ts";

interface Bounds {
  readonly from: string;
  readonly to: string;
}

export interface EntriesState {
  /** Newest first. The same list, longer, as long as the search is the same. */
  readonly entries: readonly LogEntry[];
  readonly isLoading: boolean;
  /** All of the range are here. */
  readonly isWhole: boolean;
  /** It was cancelled: nothing more comes. */
  readonly isStopped: boolean;
  readonly error: Error | null;
  readonly bytesScanned: number;
}

/** The most entries that a page keeps in memory. To see more, choose a range that ends at the last of them. */
export const ENTRIES_MAX = 100_000;

const FIRST_PAGE = 300;
const PAGE = 1000;
/** So many entries of one and the same microsecond are read at once; no sender makes more. */
const PAGE_MAX = 50_000;
const FIRST_WINDOW_MS = 15 * 60_000;
const WIDER = 16;
/** However small the pieces are in which entries come. */
const SHOWN_EVERY_MS = 100;

type Ask = (bounds: Bounds, limit: number, signal: AbortSignal) => AsyncGenerator<QueryEvent, void>;

/**
 * Reads the entries of a range from its end to its beginning, page after page. A page ends between two times, never among the
 * entries of one, and the next begins there: nothing twice, nothing left out, and no page costs more than the time that it spans.
 * Windows grow where there is little, so that most pages read a small part of the range.
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

  /** Stops the running read, on the server too. Loaded entries stay. */
  stop(): void {
    this.release();
    this.#change({ isStopped: true });
  }

  /** Stops the running read when the page is left. `more` continues it later. */
  release(): void {
    this.#page?.abort();
  }

  /** Reads on by one page, unless that is under way, or nothing is left. */
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
        // The whole window is read: the entries held back belong to it.
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

  /** The entries of a window. Those of the last time are held back: it may have more than came. */
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
      // The entries are complete down to the time held back: reading continues there.
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
