import type { QueryKey } from "@tanstack/react-query";

/**
 * The names in a query's key that select rows of one object: pages, times and filters. Every other name says to which
 * object the rows belong. If a name is missing here, "loading" is shown for a moment. If a name is here by mistake, the
 * rows of another object are shown.
 */
export const FILTER_NAMES: ReadonlySet<string> = new Set(
  (
    "limit cursor offset from to before bounds search q prefix delimiter type status level service trace_id environment archived " +
    "include_revoked verified unverified kind header pointer actor action target result request_id hours sender reason slow group_by total credential"
  ).split(" "),
);

/**
 * Returns the previous rows, to show until the answer arrives, if they are of the same organization, project and
 * object. For `placeholderData`.
 */
export function keepSameRows<T>(
  previous: T | undefined,
  query: { readonly queryKey: QueryKey } | undefined,
  key: QueryKey,
) {
  return query !== undefined && differsInFiltersOnly(query.queryKey, key) ? previous : undefined;
}

/** Whether two keys differ only in pages, times and filters. */
export function differsInFiltersOnly(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return true;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return false;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((name) => FILTER_NAMES.has(name) || differsInFiltersOnly(before[name], after[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
