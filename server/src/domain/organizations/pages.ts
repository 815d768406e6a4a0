import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";

/** A page of a list, with at most `limit` items. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** The rows to select for a page: those with a smaller id, newest first, and one more than the page needs. */
export interface RowsWanted {
  readonly beforeId: string | undefined;
  readonly limit: number;
}

/**
 * Returns a page of a list, newest first. The extra row shows whether there is a next page.
 * @throws Problem `invalid_parameter` for a foreign cursor
 */
export async function listPage<T>(
  { cursor, limit }: PageQuery,
  select: (wanted: RowsWanted) => Promise<T[]>,
  positionOf: (row: T) => string,
): Promise<Page<T>> {
  const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
  const rows = await select({ beforeId, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor([positionOf(last)]) : null };
}
