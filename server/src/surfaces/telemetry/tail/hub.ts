import type { TableName, TakenBatch, TelemetryFeed } from "#stores/telemetry/index.ts";
import type { Work } from "./work.ts";

/** A batch, and the number of the table's entries up to its end since the hub was created. */
export interface Recent {
  readonly batch: TakenBatch;
  readonly total: number;
}

/** The rendering of a batch for one reader is reused for all readers with the same filter. */
export type Memo = Map<string, Buffer | null>;

/** A reader that receives batches in order. */
export interface Live {
  /** The number of the next batch to read. */
  readonly nextSeq: number;
  deliver(recent: Recent, memo: Memo): void;
  /** Skips batches up to this number, which were dropped. `total` counts their entries. */
  passOver(seq: number, total: number): void;
}

/** The most bytes of rows that wait to be searched. Beyond that, all of them are skipped. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** The most bytes of finished batches that are kept for readers who join. */
const DONE_BYTES_MAX = 512 * 1024;

/**
 * Passes a table's new batches to the tails that are up to date. The append only stores a reference in a list; the rest
 * runs later, within the limits of `Work`.
 */
export class Hub {
  readonly #work: Work;
  readonly #unwatch: () => void;
  readonly #live = new Set<Live>();
  readonly #waiting: Recent[] = [];
  readonly #done: Recent[] = [];
  #waitingBytes = 0;
  #doneBytes = 0;
  /** The last batch that is no longer in either list. */
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
    this.#live.clear();
  }

  /**
   * Gives the tail the recent batches that it needs, and all new ones. Returns false when the tail must first read more
   * from the log.
   */
  join(live: Live): boolean {
    const { nextSeq } = live;
    if (this.#leftSeq >= nextSeq) return false;
    this.#live.add(live);
    this.#work.piece(() => {
      for (const recent of this.#done)
        if (recent.batch.seq >= nextSeq && this.#live.has(live)) live.deliver(recent, new Map());
    });
    this.#start();
    return true;
  }

  leave(live: Live): void {
    this.#live.delete(live);
  }

  /** Returns the number of entries in the batches before `seq` since the hub was created. */
  totalBefore(seq: number): number {
    const later = [...this.#done, ...this.#waiting].find(({ batch }) => batch.seq >= seq);
    return later === undefined ? this.total : later.total - later.batch.count;
  }

  #taken(batch: TakenBatch): void {
    this.total += batch.count;
    this.#waiting.push({ batch, total: this.total });
    this.#waitingBytes += batch.rows.length;
    if (this.#live.size === 0) this.#settle();
    else if (this.#waitingBytes > WAITING_BYTES_MAX && this.#waiting.length > 1) this.#drop(batch.seq);
    else this.#start();
  }

  /**
   * There are more rows than time, so the waiting rows are skipped at once. Otherwise each row would be later than the
   * one before.
   */
  #drop(throughSeq: number): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#done.length = 0;
    this.#doneBytes = 0;
    this.#leftSeq = throughSeq;
    for (const live of this.#live) live.passOver(throughSeq, this.total);
  }

  #start(): void {
    if (this.#running || this.#waiting.length === 0) return;
    this.#running = true;
    // Runs in a separate turn, because this turn belongs to the append.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#work.turn();
      const [recent] = this.#waiting;
      if (recent === undefined || this.#live.size === 0) break;
      this.#next();
      this.#work.piece(() => {
        const memo: Memo = new Map();
        for (const live of this.#live) live.deliver(recent, memo);
      });
    }
    this.#settle();
    this.#running = false;
  }

  /** Moves all waiting batches to the finished list, because no reader waits for them. */
  #settle(): void {
    while (this.#waiting.length > 0) this.#next();
  }

  /** Moves a batch from the waiting list to the finished ones. */
  #next(): void {
    const recent = this.#waiting.shift();
    if (recent === undefined) return;
    const bytes = recent.batch.rows.length;
    this.#waitingBytes -= bytes;
    this.#done.push(recent);
    this.#doneBytes += bytes;
    while (this.#doneBytes > DONE_BYTES_MAX && this.#done.length > 1) {
      const oldest = this.#done.shift();
      this.#doneBytes -= oldest?.batch.rows.length ?? 0;
      this.#leftSeq = oldest?.batch.seq ?? this.#leftSeq;
    }
  }
}
