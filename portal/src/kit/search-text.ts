/** The texts in an address, also those that look like numbers: `?prefix=2026` written by hand arrives as a number. */
export function textsOf<S extends Record<string, unknown>>(search: Partial<S>): Partial<S> {
  const entries = Object.entries(search).map(
    ([name, value]) => [name, typeof value === "number" ? String(value) : value] as const,
  );
  return Object.fromEntries(entries) as Partial<S>;
}
