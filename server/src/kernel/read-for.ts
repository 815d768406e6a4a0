import { AsyncLocalStorage } from "node:async_hooks";

const readers = new AsyncLocalStorage<string>();

/** Counts the reads of `work` for this organization, so that no organization can use all read processes. */
export function readFor<T>(orgId: string, work: () => T): T {
  return readers.run(orgId, work);
}

/** Returns the organization of the running work; empty for the server itself. */
export function readerNow(): string {
  return readers.getStore() ?? "";
}
