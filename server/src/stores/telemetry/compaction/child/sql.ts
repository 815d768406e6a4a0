import { promotedColumn, SERVICE_OF_METRIC } from "../../columns.ts";
import { STORED_COLUMNS, type StoredTable } from "../../spool/tables.ts";
import { SEVERITY_ANEW, severityNameSql } from "../../severity-sql.ts";

/** Returns the stored columns of rows as a list for SELECT. Severities by older level spellings are computed again. */
export function storedColumns(type: StoredTable): string {
  const columns = STORED_COLUMNS[type].map(({ name }) =>
    type === "logs" && name === "severity" ? `${SEVERITY_ANEW} AS "severity"` : `"${name}"`,
  );
  return columns.join(", ");
}

/** Selects all columns of `source`, and those that queries derive, with the values that queries see. */
export function shownRows(type: StoredTable, source: string): string {
  if (type === "logs")
    return `SELECT * REPLACE (${SEVERITY_ANEW} AS "severity"), ${severityNameSql(SEVERITY_ANEW)} AS "severity_name" FROM ${source}`;
  return type === "metrics" ? `SELECT *, ${SERVICE_OF_METRIC} AS "service" FROM ${source}` : `SELECT * FROM ${source}`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function list(texts: readonly string[]): string {
  return `[${texts.map(literal).join(", ")}]`;
}

/**
 * Selects all rows of `source` with a column for each key, with the value of `attributes->>'key'`. Keys with a column
 * in the source (`present`) are read from it. The others are extracted together, so that the JSON is parsed once.
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

/** Returns whether the attributes of a type can have separate columns. */
export function hasAttributes(type: StoredTable): boolean {
  return STORED_COLUMNS[type].some(({ name }) => name === "attributes");
}
