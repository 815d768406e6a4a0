import { sql, type RawBuilder, type SqlBool } from "kysely";

/** A range of rows by time, in milliseconds; `toMs` is exclusive. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** A row's place in a list ordered by time, and by number or id among equal times. */
export interface TimePlace {
  readonly atMs: number;
  readonly tie: number | string;
}

interface TimeColumns {
  readonly time: string;
  readonly tie: string;
}

/**
 * Restricts rows to a range, before or after a place. The result is one range of an index that ends in the two columns.
 * Of two bounds on the same side only the tighter one is used, since the database would start at either.
 */
export function inTimeRange(
  { time, tie }: TimeColumns,
  { fromMs, toMs }: TimeRange,
  page: { readonly before?: TimePlace | undefined; readonly after?: TimePlace | undefined } = {},
): RawBuilder<SqlBool> {
  const [at, both] = [sql.ref(time), sql`(${sql.ref(time)}, ${sql.ref(tie)})`];
  const { before, after } = page;
  const bounds: RawBuilder<unknown>[] = [];
  if (after !== undefined && after.atMs >= (fromMs ?? 0)) bounds.push(sql`${both} > (${after.atMs}, ${after.tie})`);
  else if (fromMs !== undefined) bounds.push(sql`${at} >= ${fromMs}`);
  if (before !== undefined && before.atMs < (toMs ?? Infinity))
    bounds.push(sql`${both} < (${before.atMs}, ${before.tie})`);
  else if (toMs !== undefined) bounds.push(sql`${at} < ${toMs}`);
  return bounds.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(bounds, sql` and `)}`;
}

/**
 * Returns a text as a literal in the statement. With a parameter, the planner cannot see that a partial index matches.
 */
export function literal(text: string): RawBuilder<string> {
  return sql.lit(text);
}
