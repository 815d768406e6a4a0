import { channel } from "node:diagnostics_channel";

/** The SQL of a read outside of transactions. */
export interface ObservedRead {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const READS = channel("mooring.records.read");

/** Calls the listeners of the channel. A running server has none. */
export function publishRead(sql: string, parameters: readonly unknown[]): void {
  if (READS.hasSubscribers) READS.publish({ sql, parameters } satisfies ObservedRead);
}

/** Calls `listener` for each read of this process, until the returned function is called. */
export function observeReads(listener: (read: ObservedRead) => void): () => void {
  const take = (message: unknown): void => listener(message as ObservedRead);
  READS.subscribe(take);
  return () => {
    READS.unsubscribe(take);
  };
}
