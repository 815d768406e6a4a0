import { COLUMNS, promotedColumn, type TelemetryType } from "../../columns.ts";
import { SEVERITY_ANEW } from "../../severity-sql.ts";

/** The stored columns of rows, as a list for SELECT; severities of older spellings of levels are derived again. */
export function storedColumns(type: TelemetryType): string {
  const columns = COLUMNS[type].map(({ name }) =>
    type === "logs" && name === "severity" ? `${SEVERITY_ANEW} AS "severity"` : `"${name}"`,
  );
  return columns.join(", ");
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function list(texts: readonly string[]): string {
  return `[${texts.map(literal).join(", ")}]`;
}

/**
 * All rows of `source` with a column for each key, which holds what `attributes->>'key'` gives. Keys that the source has as
 * columns (`present`) are read; the others are extracted together, so that the JSON is parsed once.
 */
export function withPromoted(
  source: string,
  columns: string,
  keys: readonly string[],
  present: readonly string[],
): string {
  const missing = keys.filter((key) => !present.includes(key));
  const promoted = keys.map((key) => {
    const column = `"${promotedColumn(key)}"`;
    return present.includes(key) ? column : `extracted[${missing.indexOf(key) + 1}] AS ${column}`;
  });
  if (promoted.length === 0) return `SELECT ${columns} FROM ${source}`;
  const from =
    missing.length === 0
      ? source
      : `(SELECT *, json_extract_string(attributes, ${list(missing)}) AS extracted FROM ${source})`;
  return `SELECT ${columns}, ${promoted.join(", ")} FROM ${from}`;
}

/** Types whose attributes can have separate columns. */
export function hasAttributes(type: TelemetryType): boolean {
  return type !== "metrics";
}
