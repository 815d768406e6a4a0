import type { Reader } from "#stores/metadata/index.ts";
import { findHead } from "./store.ts";

/**
 * Returns the number of the organization's newest entry, 0 before the first. A new number shows that something has
 * changed.
 */
export async function lastAuditSeq(db: Reader, orgId: string): Promise<number> {
  return (await findHead(db, orgId))?.seq ?? 0;
}
