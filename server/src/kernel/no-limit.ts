/** Means "no limit" in the records, where null means the server's default. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Returns the limit in force; null: none. `chosen`: the record of one organization. */
export function limitOf(chosen: number | null | undefined, byDefault: number | null): number | null {
  const limit = chosen ?? byDefault;
  return limit === NO_LIMIT ? null : limit;
}
