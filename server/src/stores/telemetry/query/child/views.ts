import { promotedColumn, UNPACKED_ATTRIBUTES, type Column } from "../../columns.ts";
import { SEVERITY_ANEW, severityNameSql } from "../../severity-sql.ts";
import type { TimeRange } from "../../snapshot.ts";
import type { ChildFiles, ChildTable, ColumnText, ParquetGroup } from "../protocol.ts";
import { HOT_ROW_BYTES_MAX } from "../settings.ts";
import { QUERY_TABLES, type QueryTable } from "../tables.ts";

const NO_FILES: ChildTable = { parquet: [], hot: [], range: {} };
export const ATTRIBUTES = "attributes";

/**
 * A statement must not evaluate anything on rows that its principal may not see: an error's text would reveal their
 * values, and so would the rows that a plan counts in a scan. DuckDB passes no condition through an OFFSET, even
 * through this one, which leaves out nothing.
 */
const BARRIER = " OFFSET 0";

/** The view that has the columns of promoted attributes as well. No statement can name it: the gate knows no such table. */
export function promotedView(table: string): string {
  return `${table} with promoted attributes`;
}

/** The promoted attributes that a table's files have as columns, of those that the statement reads. */
export function promotedKeys({ parquet }: ChildTable): string[] {
  return [...new Set(parquet.flatMap(({ promoted }) => promoted))];
}

/** The statements that make tables for one query, over exactly its files. */
export function viewStatements(files: ChildFiles, tables: ReadonlySet<string>): string[] {
  return namedIn(tables).map((table) => viewStatement(table, table.name, files, []));
}

/** Returns the statements for the views with columns of promoted attributes, by table. */
export function promotedStatements(
  files: ChildFiles,
  tables: ReadonlySet<string>,
  columns: ReadonlyMap<string, readonly string[]>,
): string[] {
  return namedIn(tables).map((table) =>
    viewStatement(table, promotedView(table.name), files, columns.get(table.name) ?? []),
  );
}

/** Lists every file of a query. */
export function viewFiles({ directory, tables }: ChildFiles): string[] {
  const names = Object.values(tables).flatMap(({ parquet, hot }) => [
    ...parquet.flatMap((group) => group.files),
    ...hot,
  ]);
  return names.map((name) => pathOf(directory, name));
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function namedIn(names: ReadonlySet<string>): QueryTable[] {
  return QUERY_TABLES.filter(({ name }) => names.has(name));
}

function pathOf(directory: string, name: string): string {
  return name.startsWith("/") ? name : `${directory}/${name}`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// Columns are named separately and never cast: a cast would keep filters from reaching the files, and `*` would show
// their names.
function viewStatement(table: QueryTable, view: string, files: ChildFiles, keys: readonly string[]): string {
  const { parquet, hot, range, equal = [] } = files.tables[table.name] ?? NO_FILES;
  const list = (names: readonly string[]): string =>
    `[${names.map((name) => quoteText(pathOf(files.directory, name))).join(", ")}]`;
  const where = conditions([...times(range), ...equal.map(isEqual), ...visibility(table, files.visible)]);
  const isPart = isPartial(table, files.visible);
  const select = (source: string, columns: readonly string[]): string =>
    `SELECT ${columns.join(", ")} FROM ${source}${where}`;
  // A file's further columns do not matter to one that does not name them.
  const groups = keys.length > 0 ? parquet : withoutColumns(parquet);
  const selects = groups
    .filter((group) => group.files.length > 0)
    .map((group) =>
      select(
        `read_parquet(${list(group.files)}, hive_partitioning = false, union_by_name = false)`,
        columnsOf(table, keys, group, isPart),
      ),
    );
  // Rows of the log from before an update have severities of older spellings; deriving all of them again costs nothing
  // beside parsing JSON.
  const columns = columnsOf(table, keys, { promoted: [], oldSpellings: true }, isPart);
  if (hot.length > 0) selects.push(select(hotRows(table, list(hot)), columns));
  if (selects.length === 0) selects.push(emptySelect(table, keys));
  return `CREATE OR REPLACE TEMP VIEW ${quoteName(view)} AS ${selects.join(" UNION ALL ")}${isPart ? BARRIER : ""}`;
}

/** The files of all groups, distinguished only by the properties that affect the table's own columns. */
function withoutColumns(groups: readonly ParquetGroup[]): ParquetGroup[] {
  return [false, true].map((oldSpellings) => {
    const alike = groups.filter((group) => (group.oldSpellings ?? false) === oldSpellings);
    return { promoted: [], oldSpellings, files: alike.flatMap(({ files }) => files) };
  });
}

/** The table's columns, and those of promoted attributes. */
function columnsOf(
  table: QueryTable,
  keys: readonly string[],
  { promoted, oldSpellings = false }: Pick<ParquetGroup, "promoted" | "oldSpellings">,
  isPart: boolean,
): readonly string[] {
  const plain = table.columns.map(({ name, type }) => ({
    name: quoteName(name),
    type,
    value: valueOf(name, table, oldSpellings),
  }));
  const attributes = keys.map((key) => {
    const name = quoteName(promotedColumn(key));
    const value = promoted.includes(key) ? name : `${quoteName(ATTRIBUTES)}->>${quoteText(key)}`;
    return { name, type: "VARCHAR", value };
  });
  return [...plain, ...attributes].map(({ name, type, value }) => {
    if (isPart && !type.startsWith("MAP")) return `${alone(value)} AS ${name}`;
    return value === name ? name : `${value} AS ${name}`;
  });
}

/** Returns the value of a column, read from its file or computed from other columns. */
function valueOf(name: string, table: QueryTable, oldSpellings: boolean): string {
  const severity = oldSpellings ? SEVERITY_ANEW : quoteName("severity");
  if (table.name !== "logs") return quoteName(name);
  if (name === "severity") return severity;
  return name === "severity_name" ? severityNameSql(severity) : quoteName(name);
}

/**
 * The same value, without the others of its file: DuckDB applies functions to all values of a column's dictionary, whichever rows have
 * them, and what has two columns as arguments makes a column without one. (Maps have no dictionary.)
 */
function alone(value: string): string {
  return `least(${value}, ${value})`;
}

/**
 * The rows of NDJSON files, with values of type JSON from their text; invalid text is NULL, so that it does not cost
 * the other rows.
 */
function hotRows(table: QueryTable, list: string): string {
  const stored = table.columns.filter(({ derived }) => derived !== true);
  if (table.jsonIsText !== true) {
    const rows = readJson(stored, list);
    const hasAttributes = stored.some(({ name }) => name === ATTRIBUTES);
    return hasAttributes ? `(SELECT * REPLACE (${UNPACKED_ATTRIBUTES} AS "${ATTRIBUTES}") FROM ${rows})` : rows;
  }
  const texts = stored.map((column) => (column.type === "JSON" ? { ...column, type: "VARCHAR" as const } : column));
  const values = stored.map(({ name, type }) =>
    type === "JSON" ? `TRY_CAST(${quoteName(name)} AS JSON) AS ${quoteName(name)}` : quoteName(name),
  );
  return `(SELECT ${values.join(", ")} FROM ${readJson(texts, list)})`;
}

function readJson(columns: readonly Column[], list: string): string {
  const types = columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(", ");
  return `read_json(${list}, format = 'newline_delimited', compression = 'uncompressed', hive_partitioning = false, maximum_object_size = ${HOT_ROW_BYTES_MAX}, columns = {${types}})`;
}

function emptySelect(table: QueryTable, keys: readonly string[]): string {
  const columns = table.columns.map(({ name, type }) => `NULL::${type} AS ${quoteName(name)}`);
  const hidden = keys.map((key) => `NULL::VARCHAR AS ${quoteName(promotedColumn(key))}`);
  return `SELECT ${[...columns, ...hidden].join(", ")} WHERE false`;
}

function conditions(parts: readonly string[]): string {
  return parts.length === 0 ? "" : ` WHERE ${parts.join(" AND ")}`;
}

function times({ fromUs, toUs }: TimeRange): string[] {
  const parts: string[] = [];
  if (fromUs !== undefined) parts.push(`"timestamp" >= make_timestamptz(${Math.ceil(fromUs)})`);
  if (toUs !== undefined) parts.push(`"timestamp" < make_timestamptz(${Math.ceil(toUs)})`);
  return parts;
}

function isEqual({ column, text }: ColumnText): string {
  return `${quoteName(column)} = ${quoteText(text)}`;
}

/** Returns whether the files may have rows that must not be seen. */
function isPartial(table: QueryTable, visible: ChildFiles["visible"]): boolean {
  return visible !== "all" && table.projectColumn !== undefined;
}

function visibility(table: QueryTable, visible: ChildFiles["visible"]): string[] {
  if (visible === "all" || table.projectColumn === undefined) return [];
  const column = quoteName(table.projectColumn);
  const parts: string[] = [];
  if (visible.projectIds.length > 0) parts.push(`${column} IN (${visible.projectIds.map(quoteText).join(", ")})`);
  if (visible.unassigned) parts.push(`${column} IS NULL`);
  return [parts.length === 0 ? "false" : `(${parts.join(" OR ")})`];
}
