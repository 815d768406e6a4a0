import { sentEvents, type Client, type SentEvent } from "@mooring/client";
import { fits, type LogEntry } from "./entry.ts";
import type { Wanted } from "./log-query.ts";
import { tailSearch } from "./tail-search.ts";

export interface TailState {
  /** Newest first, at most `TAIL_MAX`. */
  readonly entries: readonly LogEntry[];
  readonly status: "connecting" | "live" | "paused" | "waiting";
  /** The number of matching entries since the tail started. */
  readonly seen: number;
  /** Entries per second, over the last five seconds. */
  readonly rate: number;
  /** A message about entries that could not be shown. */
  readonly gap: string | null;
  readonly error: Error | null;
}

export const TAIL_MAX = 2000;
const SHOWN_EVERY_MS = 250;
const RATE_OVER_MS = 5000;
const AGAIN_MS = 2000;

/**
 * Follows the logs live. A pause closes the connection. After a pause, a broken connection or an expired token, it
 * requests the entries since the last event.
 */
export class TailReader {
  readonly #client: Client;
  readonly #wanted: Wanted;
  readonly #listeners = new Set<() => void>();
  #connection: AbortController | null = null;
  #lastEventId: string | null = null;
  #arrived: LogEntry[] = [];
  #times: { readonly at: number; readonly count: number }[] = [];
  #timer: ReturnType<typeof setInterval> | null = null;
  #state: TailState = { entries: [], status: "paused", seen: 0, rate: 0, gap: null, error: null };

  constructor(client: Client, wanted: Wanted) {
    this.#client = client;
    this.#wanted = wanted;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): TailState => this.#state;

  start(): void {
    if (this.#connection !== null) return;
    this.#connection = new AbortController();
    this.#timer = setInterval(() => this.#show(), SHOWN_EVERY_MS);
    void this.#follow(this.#connection.signal);
  }

  pause(): void {
    this.#connection?.abort();
    this.#connection = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#show();
    this.#change({ status: "paused", rate: 0 });
  }

  clear(): void {
    this.#arrived = [];
    this.#change({ entries: [], seen: 0, gap: null });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const beganMs = performance.now();
      try {
        this.#change({ status: "connecting" });
        await this.#connect(signal);
        // The server ends a stream when its token expires. The next attempt, with a new token, needs no wait.
        if (performance.now() - beganMs > AGAIN_MS) continue;
      } catch (error) {
        if (signal.aborted) return;
        this.#change({ error: error as Error });
      }
      if (signal.aborted) return;
      this.#change({ status: "waiting" });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { addresses } = this.#client;
    const search = tailSearch(this.#wanted.search).toString();
    const response = await this.#client.send({
      purpose: "follow the logs",
      url: `${addresses.query_url}/v1/tail/logs${search === "" ? "" : `?${search}`}`,
      headers: {
        accept: "text/event-stream",
        ...(this.#lastEventId === null ? {} : { "last-event-id": this.#lastEventId }),
      },
      signal,
    });
    this.#change({ status: "live", error: null });
    for await (const event of sentEvents(chunksOf(response))) this.#take(event);
  }

  #take({ event, data, id }: SentEvent): void {
    if (id !== undefined) this.#lastEventId = id;
    if (event === "entry") {
      const entry = JSON.parse(data) as LogEntry;
      const { search, projectId } = this.#wanted;
      const isOurs = projectId === null || entry.project_id === projectId;
      if (isOurs && search.terms.every((term) => fits(entry, term))) this.#arrived.push(entry);
      if (this.#arrived.length > TAIL_MAX * 2) this.#show();
    } else if (event === "gap") this.#change({ gap: gapText(data) });
  }

  /** Publishes new entries a few times a second. */
  #show(): void {
    const now = performance.now();
    const count = this.#arrived.length;
    this.#times = [...this.#times.filter(({ at }) => now - at < RATE_OVER_MS), { at: now, count }];
    const rate = this.#times.reduce((sum, time) => sum + time.count, 0) / (RATE_OVER_MS / 1000);
    if (count === 0 && rate === this.#state.rate) return;
    const entries =
      count === 0 ? this.#state.entries : [...this.#arrived.toReversed(), ...this.#state.entries].slice(0, TAIL_MAX);
    this.#arrived = [];
    this.#change({ entries, rate, seen: this.#state.seen + count });
  }

  #change(part: Partial<TailState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

function gapText(data: string): string {
  const gap = JSON.parse(data) as { from: string; to: string; left_out: number | null; reason: string };
  const count = gap.left_out === null ? "Entries" : `${gap.left_out} entries`;
  const why = {
    too_old: "the page was disconnected for too long",
    too_slow: "they arrived faster than they could be read",
    busy: "more arrived than the server could filter",
  }[gap.reason];
  return `${count} taken from ${gap.from} to ${gap.to} are not shown: ${why ?? gap.reason}. A search finds them.`;
}

/** Safari's streams have no async iterator. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    yield part.value;
  }
}
