import { channel } from "node:diagnostics_channel";

/** A read outside of transactions, as the database is asked. */
export interface ObservedRead {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const READS = channel("mooring.records.read");

/** Publishes to the listeners of the channel; a running server has none. */
export function publishRead(sql: string, parameters: readonly unknown[]): void {
  if (READS.hasSubscribers) READS.publish({ sql, parameters } satisfies ObservedRead);
}

/** Calls `listener` with each read of this process, until the function that it returns is called. */
export function observeReads(listener: (read: ObservedRead) => void): () => void {
  const take = (message: unknown): void => listener(message as ObservedRead);
  READS.subscribe(take);
  return () => {
    READS.unsubscribe(take);
  };
}
