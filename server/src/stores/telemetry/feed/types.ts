import type { TelemetryType } from "../columns.ts";

export interface TableName {
  readonly orgId: string;
  readonly type: TelemetryType;
}

/** A batch that is on disk. */
export interface TakenBatch {
  /** Its place in the log: later batches have greater numbers, also after a restart. */
  readonly seq: number;
  /** When it was taken, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly count: number;
  /** As in `Batch`; not to be changed. */
  readonly rows: Buffer;
}

/** Batches as they are taken, and again as long as the log has them. */
export interface TelemetryFeed {
  /** Names the directory whose numbers these are: another one counts for itself. */
  readonly id: string;
  /** The last batch taken, of any table. */
  readonly lastSeq: number;
  /**
   * Calls `listener` with each batch of the table from now on, in order, in the turn of its acknowledgement: it must return at once and
   * leave all work for later. The function returned ends it.
   */
  watch(table: TableName, listener: (batch: TakenBatch) => void): () => void;
  /** The log has every batch of the table after this number. */
  keptAfter(table: TableName): number;
  /**
   * The table's batches after one number and up to another from the log. Ends early when some of them have left the log
   * meanwhile: `keptAfter` is then past the last yielded batch.
   */
  replay(table: TableName, afterSeq: number, throughSeq: number): AsyncIterable<TakenBatch>;
}
