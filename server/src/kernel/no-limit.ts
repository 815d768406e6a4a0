/** In the records, where null stands for the server's default. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The limit in force; null: none. `chosen`: for one organization, as the records have it. */
export function limitOf(chosen: number | null | undefined, byDefault: number | null): number | null {
  const limit = chosen ?? byDefault;
  return limit === NO_LIMIT ? null : limit;
}
