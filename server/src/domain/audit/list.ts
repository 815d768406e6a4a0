import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import type { AuditDeps } from "./append.ts";
import { rowById, rowsAfter, rowsBefore, type AuditFilters } from "./store.ts";

const EXPORT_PAGE_ROWS = 500;

/** Undefined when the organization has no such entry. */
export async function findAuditEntry(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<AuditRow | undefined> {
  return rowById(deps.metadata.read, orgId, id);
}

/** One page, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listAudit(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string | null,
  filters: AuditFilters,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ items: AuditRow[]; nextCursor: string | null }> {
  const beforeSeq = page.cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(page.cursor, ["number"])[0];
  const chain = orgId ?? INSTANCE_CHAIN;
  const rows = await rowsBefore(deps.metadata.read, chain, beforeSeq, { limit: page.limit + 1, filters });
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > page.limit && last !== undefined ? encodeCursor([last.seq]) : null };
}

/** All rows that fit and come after `afterSeq`, oldest first, read page by page as they are consumed. */
export async function* exportAudit(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string | null,
  filters: AuditFilters,
  signal: AbortSignal | undefined,
  options: { afterSeq: number } = { afterSeq: 0 },
): AsyncGenerator<AuditRow, void, void> {
  let { afterSeq } = options;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await rowsAfter(deps.metadata.read, orgId ?? INSTANCE_CHAIN, afterSeq, {
      limit: EXPORT_PAGE_ROWS,
      filters,
    });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE_ROWS) return;
    afterSeq = last.seq;
    await nextTurn(); // SQLite answers at once, so that a fast reader would hold the event loop
  }
}
