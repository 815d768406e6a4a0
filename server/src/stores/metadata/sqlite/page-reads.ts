/**
 * Finds pages of one table that read only the rows that they return: every condition is a bound of the index, the index
 * has the page's order, and the page is short. Such a list may run on the event loop, if SQLite's plan agrees, because
 * a request to another process would take longer.
 */

/** A query of one table whose conditions are joined only by "and". */
const PAGE =
  /^select (?:distinct )?(?:\*|"\w+"(?:\."\w+")?(?:, "\w+"(?:\."\w+")?)*) from "(\w+)" where (.+?)(?: order by [\w". ,]+)? limit \?( offset \?)?$/;
/** A time range without bounds. */
const ALWAYS = "1 = 1";
const CONDITION = /^(?:"\w+"\.)?"(\w+)" (=|<|<=|>|>=) \?$/;
const IS_NULL = /^(?:"\w+"\.)?"(\w+)" is null$/;
const PLACE = /^\("(\w+)", "(\w+)"\) (<|>) \(\?, \?\)$/;

const BY_KEY = /^SEARCH \S+ USING (?:(?:COVERING )?INDEX \S+|PRIMARY KEY) \((.+)\)$/;

/** The most rows of such a page, skipped rows included. */
const ROWS_MAX = 1000;

export interface PageRead {
  readonly hasOffset: boolean;
}

/**
 * Returns undefined when the query may read more rows than it returns.
 * @param plan steps, as `explain query plan` returns them
 */
export function pageReadOf(sql: string, plan: readonly string[]): PageRead | undefined {
  const [, , where = "", offset] = PAGE.exec(sql) ?? [];
  const [, terms = ""] = BY_KEY.exec(plan[0] ?? "") ?? [];
  if (where === "" || terms === "" || plan.length !== 1) return undefined;
  const conditions = where
    .split(" and ")
    .filter((condition) => condition !== ALWAYS)
    .map(termOf);
  const bounds = terms.split(" AND ");
  const areBounds = conditions.every((term) => term !== undefined && bounds.includes(term));
  return areBounds ? { hasOffset: offset !== undefined } : undefined;
}

/** Returns a condition as the plan prints it, or undefined when it cannot be a bound of an index. */
function termOf(condition: string): string | undefined {
  const [, column, operator = ""] = CONDITION.exec(condition) ?? [];
  if (column !== undefined) return `${column}${operator.charAt(0)}?`;
  const [, empty] = IS_NULL.exec(condition) ?? [];
  if (empty !== undefined) return `${empty}=?`;
  const [, first, second, side] = PLACE.exec(condition) ?? [];
  return first === undefined ? undefined : `(${first},${second})${side}(?,?)`;
}

export function isShort({ hasOffset }: PageRead, parameters: readonly unknown[]): boolean {
  const limits = parameters.slice(hasOffset ? -2 : -1);
  return limits.every((value) => Number(value) >= 0 && Number(value) <= ROWS_MAX);
}
