import { sql, type RawBuilder, type SqlBool } from "kysely";

/** A range of rows by time, in milliseconds; `toMs` is exclusive. */
export interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** A row's place in a list that is ordered by time, and by number or id where times are the same. */
export interface TimePlace {
  readonly atMs: number;
  readonly tie: number | string;
}

interface TimeColumns {
  readonly time: string;
  readonly tie: string;
}

/**
 * Rows of the range before a place, or after one. It is one range of an index that ends in the two columns. When two
 * bounds are on the same side, only the tighter one is in the statement, since the database would begin at either.
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

/** A text in the statement itself: with a parameter instead, the planner can't see that a partial index matches. */
export function literal(text: string): RawBuilder<string> {
  return sql.lit(text);
}
