import type { TelemetryType } from "../columns.ts";

export interface TableName {
  readonly orgId: string;
  readonly type: TelemetryType;
}

/** A batch that is on disk. */
export interface TakenBatch {
  /** Its number in the log. Later batches have greater numbers, also after a restart. */
  readonly seq: number;
  /** When it was accepted, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly count: number;
  /** As in `Batch`; must not be changed. */
  readonly rows: Buffer;
}

/** Gives each batch to listeners when it is accepted, and replays batches that the log still has. */
export interface TelemetryFeed {
  /** Identifies the directory that the numbers belong to. Each directory has its own numbers. */
  readonly id: string;
  /** The last accepted batch of any table. */
  readonly lastSeq: number;
  /**
   * Calls `listener` with each later batch of the table, in order, in the turn of its acknowledgement. The listener
   * must return at once and do its work later. Returns a function that stops it.
   */
  watch(table: TableName, listener: (batch: TakenBatch) => void): () => void;
  /** The log has every batch of the table after this number. */
  keptAfter(table: TableName): number;
  /**
   * Yields the table's batches after one number and up to another from the log. Ends early when some have left the log
   * meanwhile: `keptAfter` is then past the last yielded batch.
   */
  replay(table: TableName, afterSeq: number, throughSeq: number): AsyncIterable<TakenBatch>;
}
