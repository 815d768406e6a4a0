import type { TelemetryType } from "../columns.ts";

export interface TableName {
  readonly orgId: string;
  readonly type: TelemetryType;
}

/** A batch that is on disk. */
export interface TakenBatch {
  /** The batch's number in the log. Later batches have greater numbers, also after a restart. */
  readonly seq: number;
  /** When the batch was accepted, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly count: number;
  /** The same bytes as in `Batch`. They must not be changed. */
  readonly rows: Buffer;
}

/** Gives each batch to listeners when it is accepted, and replays batches that the log still has. */
export interface TelemetryFeed {
  /** Identifies the directory that the numbers belong to. Each directory has its own numbers. */
  readonly id: string;
  /** The last accepted batch of any table. */
  readonly lastSeq: number;
  /**
   * Calls `listener` with each later batch of the table, in order, in the turn of its acknowledgement. The listener must
   * return at once and do its work later. Returns a function that removes the listener.
   */
  watch(table: TableName, listener: (batch: TakenBatch) => void): () => void;
  /** The log has every batch of the table after this number. */
  keptAfter(table: TableName): number;
  /**
   * Yields batches of the table from the log, after `afterSeq` and up to `throughSeq`. Ends early if the log deletes some of
   * them during the call. `keptAfter` is then greater than the last yielded batch.
   */
  replay(table: TableName, afterSeq: number, throughSeq: number): AsyncIterable<TakenBatch>;
}
