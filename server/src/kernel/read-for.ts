import { AsyncLocalStorage } from "node:async_hooks";

const readers = new AsyncLocalStorage<string>();

/** Reads of `work` count for this organization: none can use all processes for reads. */
export function readFor<T>(orgId: string, work: () => T): T {
  return readers.run(orgId, work);
}

/** Empty: the server itself. */
export function readerNow(): string {
  return readers.getStore() ?? "";
}
