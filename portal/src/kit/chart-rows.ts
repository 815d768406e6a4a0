/** A row of a query's answer. The functions below parse its values. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Returns the text of a column; empty for NULL and for values that are not text. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Returns the number of a column, or NaN. Integers above 2^53 arrive as text. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  return typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
}

/** Returns the object of a column: a map, a struct, or JSON text. */
export function objectOf(row: SqlRow, column: string): Readonly<Record<string, unknown>> {
  const value = row[column];
  const parsed: unknown = typeof value === "string" ? parsedJson(value) : value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : {};
}

/** Returns the value of a JSON text, or undefined for other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
