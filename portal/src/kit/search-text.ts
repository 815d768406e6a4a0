/** Returns the parameters of an address as texts. The router parses `?prefix=2026`, if written by hand, as a number. */
export function textsOf<S extends Record<string, unknown>>(search: Partial<S>): Partial<S> {
  const entries = Object.entries(search).map(
    ([name, value]) => [name, typeof value === "number" ? String(value) : value] as const,
  );
  return Object.fromEntries(entries) as Partial<S>;
}
