import { AsyncLocalStorage } from "node:async_hooks";

const readers = new AsyncLocalStorage<string>();

/** What `work` reads is read for this organization: none can take all that there is to read with. */
export function readFor<T>(orgId: string, work: () => T): T {
  return readers.run(orgId, work);
}

/** Empty: the server itself. */
export function readerNow(): string {
  return readers.getStore() ?? "";
}
