import type { StoredTable } from "../spool/tables.ts";
import type { Tables } from "../hot/tables.ts";
import type { FrameMeta } from "../log/frame.ts";
import type { WriteAheadLog } from "../log/log.ts";
import { readSegment } from "../log/read.ts";
import type { TelemetryLog } from "../settings.ts";
import type { TableName, TakenBatch, TelemetryFeed } from "./types.ts";

export interface FeedOptions {
  readonly storeId: string;
  readonly wal: WriteAheadLog;
  /** The restored tables, before any compaction. */
  readonly tables: Tables;
  readonly watchers: Watchers;
}

type Listener = (batch: TakenBatch) => void;

/** The listeners for new batches, by table. */
export class Watchers {
  readonly #log: TelemetryLog;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(log: TelemetryLog) {
    this.#log = log;
  }

  add(table: TableName, listener: Listener): () => void {
    const name = nameOf(table.orgId, table.type);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
  }

  /** Calls the listeners in the turn of the acknowledgement. When a listener fails, the batch is still accepted. */
  taken(seq: number, meta: FrameMeta, rows: Buffer): void {
    if (this.#listeners.size === 0) return;
    const listeners = this.#listeners.get(nameOf(meta.orgId, meta.type));
    if (listeners === undefined) return;
    const batch = { seq, atMs: meta.at, count: meta.count, rows };
    for (const listener of listeners) {
      try {
        listener(batch);
      } catch (error) {
        this.#log.error({ err: error }, "a listener to the telemetry log failed");
      }
    }
  }
}

/** See `TelemetryFeed`. */
export class Feed implements TelemetryFeed {
  readonly id: string;
  readonly #options: FeedOptions;
  /** For each table: the last batch that the log may have deleted before the start. */
  readonly #leftBefore = new Map<string, number>();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.id = options.storeId.slice(-ID_CHARS);
    const firstKept = options.wal.segments[0]?.firstSeq ?? Number.POSITIVE_INFINITY;
    for (const { orgId, type, compactedSeq } of options.tables.all()) {
      this.#leftBefore.set(nameOf(orgId, type), Math.min(compactedSeq, firstKept - 1));
    }
  }

  get lastSeq(): number {
    return this.#options.wal.lastSeq;
  }

  watch(table: TableName, listener: Listener): () => void {
    return this.#options.watchers.add(table, listener);
  }

  keptAfter({ orgId, type }: TableName): number {
    const name = nameOf(orgId, type);
    return Math.max(this.#leftBefore.get(name) ?? 0, this.#options.wal.deletedSeq(name));
  }

  async *replay(table: TableName, afterSeq: number, throughSeq: number): AsyncGenerator<TakenBatch> {
    const name = nameOf(table.orgId, table.type);
    for (let position = afterSeq; position < throughSeq;) {
      if (this.keptAfter(table) > position) return;
      const segment = this.#options.wal.segments.find(({ lastSeq }) => lastSeq > position);
      if (segment === undefined) return;
      // Read once. Batches that arrive during the loop belong to the next round.
      const { lastSeq } = segment;
      if ((segment.tables.get(name) ?? 0) > position) {
        const frames = await readSegment({ ...segment });
        if (frames === undefined && this.keptAfter(table) <= position)
          throw new Error("a segment of the log is missing");
        if (frames === undefined) continue;
        for await (const { seq, meta, rows } of frames) {
          if (seq <= position || seq > throughSeq || !isOf(table, meta)) continue;
          yield { seq, atMs: meta.at, count: meta.count, rows };
        }
      }
      position = lastSeq;
    }
  }
}

/** The length of the random part. It is long enough to distinguish the directories of one deployment. */
const ID_CHARS = 6;

function nameOf(orgId: string, type: StoredTable): string {
  return `${orgId}/${type}`;
}

function isOf(table: TableName, meta: FrameMeta): boolean {
  return meta.orgId === table.orgId && meta.type === table.type;
}
