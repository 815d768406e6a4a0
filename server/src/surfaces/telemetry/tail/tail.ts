import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { TableName, TakenBatch, TelemetryFeed } from "#stores/telemetry/index.ts";
import type { Filter } from "./filter.ts";
import type { Hub, Live, Memo, Recent } from "./hub.ts";
import type { Output } from "./output.ts";
import { idOf, type Position } from "./position.ts";
import { after, eventText, renderBatch } from "./render.ts";
import { settled, type Seen } from "./seen.ts";
import type { Work } from "./work.ts";

export interface TailOptions {
  readonly feed: TelemetryFeed;
  readonly table: TableName;
  readonly hub: Hub;
  readonly work: Work;
  readonly clock: Clock;
  readonly out: Output;
  readonly filter: Filter;
  readonly seen: Seen;
  /** Returns the rows that may be shown. `fresh`: reads them now; otherwise they may come from the cache. */
  readonly look: (fresh: boolean) => Promise<Seen>;
  /** The position where the caller stopped; absent: the tail begins with new entries. */
  readonly since?: Position | undefined;
}

/** Entries that could not be shown; reported before the next entry. */
interface Gap {
  readonly fromMs: number;
  readonly reason: "too_old" | "too_slow" | "busy";
  readonly leftOut: number | null;
}

const NOTHING = Buffer.alloc(0);
/** The approximate speed of reading and checking the log. */
const READ_BYTES_PER_MS = 500_000;

/**
 * One reader of the log. It reads batches from the log until it is up to date, then receives them from the hub. When it
 * is too slow for the hub, it reads from the log again. Batches are rendered whole, so the position is always between
 * two batches, except at the start.
 */
export class Tail implements Live {
  readonly #options: TailOptions;
  #seen: Seen;
  #position: Position;
  /** The hub's count of entries up to the position; undefined until the tail is up to date for the first time. */
  #counted: number | undefined;
  #gap: Gap | undefined;
  #lookAgain = false;
  /**
   * The visible projects were read after this batch. A project that is still unknown in batches up to it is visible to
   * nobody.
   */
  #lookedSeq = 0;
  #isLive = false;
  #told = "";
  #wake: (() => void) | undefined;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#seen = options.seen;
    this.#position = this.#start(options.since);
  }

  get nextSeq(): number {
    return this.#position.seq;
  }

  /** Runs until the connection is closed. @throws Error when the log can't be read */
  async run(): Promise<void> {
    const { out, hub } = this.#options;
    if (this.#gap === undefined) this.beat();
    while (!out.closed) {
      await this.#catchUp();
      if (!out.closed && this.#isLive) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    hub.leave(this);
  }

  /** Sets the projects that may be shown from now on. */
  sees(seen: Seen): void {
    this.#seen = seen;
  }

  /** Writes a sign of life. It reports the position if that moved without an entry to show. */
  beat(): void {
    const { out } = this.#options;
    if (out.full) return;
    const id = idOf(this.#position);
    if (this.#gap !== undefined && this.#isLive) this.#tellGap(this.#options.clock.nowMs());
    // A position beyond a gap would hide the gap from a reader that reconnects with it, so it is not sent.
    else if (id === this.#told || this.#gap !== undefined) out.write(": \n\n");
    else this.#write(eventText("position", JSON.stringify({ time: isoFromMs(this.#position.atMs) }), id), id);
  }

  deliver({ batch, total }: Recent, memo: Memo): void {
    if (batch.seq < this.#position.seq) return;
    const { filter, out, hub } = this.#options;
    const seen = this.#seenFor(batch);
    const from = batch.seq === this.#position.seq ? this.#position.index : 0;
    const key = `${from} ${filter.key} ${seen.key}`;
    let text = memo.get(key);
    if (text === undefined) {
      text = this.#render(batch, from, seen);
      memo.set(key, text);
    }
    if (text === null) this.#lookAgain = true;
    else {
      this.#pass(batch, text);
      this.#counted = total;
    }
    if (text !== null && !out.full) return;
    hub.leave(this);
    this.#isLive = false;
    this.wake();
  }

  passOver(seq: number, total: number): void {
    if (seq < this.#position.seq) return;
    this.#noteGap("busy", total);
    this.#position = { ...this.#position, seq: seq + 1, index: 0 };
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Reads the log until the tail can join the hub. */
  async #catchUp(): Promise<void> {
    const { feed, table, out } = this.#options;
    for (;;) {
      await out.room();
      if (this.#lookAgain) await this.#look();
      if (out.closed || this.#joined()) return;
      if (feed.keptAfter(table) >= this.#position.seq) this.#skip();
      else await this.#replay(feed.lastSeq);
    }
  }

  #joined(): boolean {
    const { hub, clock } = this.#options;
    this.#isLive = true;
    if (!hub.join(this)) {
      this.#isLive = false;
      return false;
    }
    this.#counted = hub.totalBefore(this.#position.seq);
    if (this.#gap !== undefined) this.#tellGap(clock.nowMs());
    return true;
  }

  async #replay(throughSeq: number): Promise<void> {
    const { feed, table, out, work } = this.#options;
    for await (const batch of feed.replay(table, this.#position.seq - 1, throughSeq)) {
      work.spent(batch.rows.length / READ_BYTES_PER_MS);
      await work.turn();
      await out.room();
      if (out.closed) return;
      const from = batch.seq === this.#position.seq ? this.#position.index : 0;
      let text = work.piece(() => this.#render(batch, from, this.#seenFor(batch)));
      if (text === null) {
        await this.#look();
        text = this.#render(batch, from, this.#seenFor(batch)) ?? NOTHING;
      }
      this.#pass(batch, text);
      if (this.#counted !== undefined) this.#counted += batch.count;
    }
    // If the read ended early, the next round finds the missing entries.
    if (feed.keptAfter(table) < this.#position.seq && throughSeq >= this.#position.seq) {
      this.#position = { ...this.#position, seq: throughSeq + 1, index: 0 };
    }
  }

  async #look(): Promise<void> {
    const { lastSeq } = this.#options.feed;
    this.#seen = await this.#options.look(true);
    this.#lookAgain = false;
    this.#lookedSeq = lastSeq;
  }

  #seenFor(batch: TakenBatch): Seen {
    return batch.seq <= this.#lookedSeq ? settled(this.#seen) : this.#seen;
  }

  #render(batch: TakenBatch, fromIndex: number, seen: Seen): Buffer | null {
    const { filter, feed } = this.#options;
    const text = renderBatch(batch, fromIndex, { filter, seen, feedId: feed.id });
    return text === null ? null : text === "" ? NOTHING : Buffer.from(text);
  }

  #pass(batch: TakenBatch, text: Buffer): void {
    if (this.#gap !== undefined) this.#tellGap(batch.atMs);
    this.#position = after(batch, this.#options.feed.id);
    if (text.length > 0) this.#write(text, idOf(this.#position));
  }

  #write(text: string | Buffer, lastId: string): void {
    this.#told = lastId;
    this.#options.out.write(text);
  }

  #start(since: Position | undefined): Position {
    const { feed, clock, hub } = this.#options;
    const now = { feedId: feed.id, seq: feed.lastSeq + 1, index: 0, atMs: clock.nowMs() };
    if (since === undefined) {
      this.#counted = hub.total;
      return now;
    }
    if (since.feedId === feed.id && since.seq <= now.seq) return since;
    // The position belongs to another directory, or to this one before a backup was restored.
    this.#gap = { fromMs: since.atMs, reason: "too_old", leftOut: null };
    return now;
  }

  /**
   * Skips entries that the log no longer has: to the oldest that it has, or to the newest for a reader that was too
   * slow.
   */
  #skip(): void {
    const { feed, table, hub } = this.#options;
    const slow = this.#counted !== undefined;
    this.#noteGap(slow ? "too_slow" : "too_old", hub.total);
    const seq = (slow ? feed.lastSeq : feed.keptAfter(table)) + 1;
    this.#position = { ...this.#position, seq, index: 0 };
  }

  /** Notes that the entries up to the count `total` are left out. Adjacent gaps become one. */
  #noteGap(reason: Gap["reason"], total: number): void {
    const known = this.#counted !== undefined && this.#seen.everything && this.#gap?.leftOut !== null;
    const leftOut = known ? total - (this.#counted ?? 0) + (this.#gap?.leftOut ?? 0) : null;
    this.#gap = { fromMs: this.#position.atMs, reason, ...this.#gap, leftOut };
    if (this.#counted !== undefined) this.#counted = total;
  }

  #tellGap(toMs: number): void {
    if (this.#gap === undefined) return;
    const { fromMs, reason, leftOut } = this.#gap;
    this.#gap = undefined;
    const data = { from: isoFromMs(fromMs), to: isoFromMs(Math.max(fromMs, toMs)), left_out: leftOut, reason };
    const id = idOf(this.#position);
    this.#write(eventText("gap", JSON.stringify(data), id), id);
  }
}
