import type { TableName, TakenBatch, TelemetryFeed } from "#stores/telemetry/index.ts";
import type { Work } from "./work.ts";

/** A batch and how many entries of the table there were with it since the hub was made. */
export interface Recent {
  readonly batch: TakenBatch;
  readonly total: number;
}

/** Who is given batches in order. */
export interface Live {
  /** The next batch that it wants. */
  readonly nextSeq: number;
  deliver(recent: Recent, memo: Map<string, string | null>): void;
  /** It was put out and has to see for itself what it missed. */
  fellBehind(): void;
}

/** Batches that are kept in memory for a table, by the bytes of their rows; one always is. */
const RECENT_BYTES_MAX = 4 * 1024 * 1024;
const RECENT_BATCHES_MAX = 2000;
/** Who joins is given so much at once. */
const JOIN_BYTES_MAX = 512 * 1024;

/**
 * Hands a table's new batches to the tails that are up to date. The append only puts a reference into a list; everything else comes
 * later and within `Work`. When that can't keep up, tails are put out and read on from the log.
 */
export class Hub {
  readonly #work: Work;
  readonly #unwatch: () => void;
  readonly #live = new Set<Live>();
  #recent: Recent[] = [];
  #bytes = 0;
  /** Of `#recent`, the first that the live ones were not given. */
  #next = 0;
  /** Batches up to this number are not in `#recent`. */
  #leftSeq: number;
  #running = false;
  total = 0;

  constructor(feed: TelemetryFeed, table: TableName, work: Work) {
    this.#work = work;
    this.#leftSeq = feed.lastSeq;
    this.#unwatch = feed.watch(table, (batch) => this.#taken(batch));
  }

  close(): void {
    this.#unwatch();
    this.#recent = [];
    this.#next = 0;
  }

  /** Gives the tail what it wants of the recent batches, and all that come; false when it has to read more from the log first. */
  join(live: Live): boolean {
    const { nextSeq } = live;
    if (this.#leftSeq >= nextSeq) return false;
    const missed = this.#recent.slice(0, this.#next).filter(({ batch }) => batch.seq >= nextSeq);
    if (missed.reduce((bytes, { batch }) => bytes + batch.rows.length, 0) > JOIN_BYTES_MAX) return false;
    this.#live.add(live);
    this.#work.piece(() => {
      for (const recent of missed) if (this.#live.has(live)) live.deliver(recent, new Map());
    });
    this.#start();
    return true;
  }

  leave(live: Live): void {
    this.#live.delete(live);
  }

  /** How many entries the batches before `seq` had since the hub was made. */
  totalBefore(seq: number): number {
    const later = this.#recent.find(({ batch }) => batch.seq >= seq);
    return later === undefined ? this.total : later.total - later.batch.count;
  }

  #taken(batch: TakenBatch): void {
    this.total += batch.count;
    this.#recent.push({ batch, total: this.total });
    this.#bytes += batch.rows.length;
    while (this.#isTooMuch()) this.#dropOldest();
    this.#start();
  }

  #isTooMuch(): boolean {
    const { length } = this.#recent;
    return length > RECENT_BATCHES_MAX || (this.#bytes > RECENT_BYTES_MAX && length > 1);
  }

  #dropOldest(): void {
    const oldest = this.#recent.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.batch.rows.length;
    this.#leftSeq = oldest.batch.seq;
    if (this.#next > 0) this.#next -= 1;
    else this.#putOut();
  }

  #putOut(): void {
    this.#next = this.#recent.length;
    for (const live of [...this.#live]) {
      this.#live.delete(live);
      live.fellBehind();
    }
  }

  #start(): void {
    if (this.#live.size === 0) this.#next = this.#recent.length;
    if (this.#running || this.#next >= this.#recent.length) return;
    this.#running = true;
    // In a turn of its own: this one belongs to the append.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#work.turn();
      const recent = this.#recent[this.#next];
      if (recent === undefined || this.#live.size === 0) break;
      this.#next += 1;
      this.#work.piece(() => {
        const memo = new Map<string, string | null>();
        for (const live of this.#live) live.deliver(recent, memo);
      });
    }
    this.#next = this.#recent.length;
    this.#running = false;
  }
}
