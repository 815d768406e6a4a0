/** A row of a query's answer: parsed where it is read, by the functions below. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Text of a column; empty for NULL and for values that are not text. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Number of a column; whole numbers beyond 2^53 come as text. NaN for anything else. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  return typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
}

/** An object of a column: a map, a struct, or JSON that came as text. */
export function objectOf(row: SqlRow, column: string): Readonly<Record<string, unknown>> {
  const value = row[column];
  const parsed: unknown = typeof value === "string" ? parsedJson(value) : value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : {};
}

/** The value of a JSON text; undefined for other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
