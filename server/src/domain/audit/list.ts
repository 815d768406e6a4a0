import { setImmediate as nextTurn } from "node:timers/promises";
import type { TimePlace } from "#stores/metadata/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import type { AuditDeps } from "./append.ts";
import { shownRow } from "./personal.ts";
import { rowById, rowsAfter, rowsByTime, type AuditFilters } from "./store.ts";

const EXPORT_PAGE_ROWS = 500;

/** Returns undefined if the organization has no such entry. */
export async function findAuditEntry(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<AuditRow | undefined> {
  const row = await rowById(deps.metadata.read, orgId, id);
  return row === undefined ? undefined : shownRow(row);
}

/** Returns one page, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listAudit(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string | null,
  filters: AuditFilters,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ items: AuditRow[]; nextCursor: string | null }> {
  const behind = page.cursor === undefined ? undefined : placeOf(page.cursor);
  const chain = orgId ?? INSTANCE_CHAIN;
  const wanted = { filters, behind, order: "desc", limit: page.limit + 1 } as const;
  const rows = await rowsByTime(deps.metadata.read, chain, wanted);
  const items = rows.slice(0, page.limit).map(shownRow);
  const last = items.at(-1);
  const isLast = rows.length <= page.limit || last === undefined;
  return { items, nextCursor: isLast ? null : encodeCursor([last.at, last.seq]) };
}

function placeOf(cursor: string): TimePlace {
  const [atMs, tie] = decodeCursor(cursor, ["number", "number"]);
  return { atMs, tie };
}

/**
 * Yields all rows that match, oldest first, page by page as they are consumed. Without a filter they come in the order
 * of the chain, so that a reader can verify it. With a filter they come by time.
 */
export async function* exportAudit(
  deps: Pick<AuditDeps, "metadata">,
  orgId: string | null,
  filters: AuditFilters,
  signal: AbortSignal | undefined,
  options: { afterSeq: number } = { afterSeq: 0 },
): AsyncGenerator<AuditRow, void, void> {
  const chain = orgId ?? INSTANCE_CHAIN;
  const isWhole = Object.values(filters).every((value) => value === undefined);
  let last: AuditRow | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const behind = last === undefined ? undefined : { atMs: last.at, tie: last.seq };
    const rows = isWhole
      ? await rowsAfter(deps.metadata.read, chain, last?.seq ?? options.afterSeq, EXPORT_PAGE_ROWS)
      : await rowsByTime(deps.metadata.read, chain, { filters, behind, order: "asc", limit: EXPORT_PAGE_ROWS });
    yield* rows.map(shownRow);
    last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE_ROWS) return;
    await nextTurn(); // a fast reader would block the event loop
  }
}
