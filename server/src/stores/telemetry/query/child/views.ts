import { promotedColumn, SERVICE_OF_METRIC, UNPACKED_ATTRIBUTES, type Column } from "../../columns.ts";
import { SEVERITY_ANEW, severityNameSql } from "../../severity-sql.ts";
import { keptSql, type KeptRows } from "../../retention/plans.ts";
import type { TimeRange } from "../../snapshot.ts";
import type { StoredTable } from "../../spool/tables.ts";
import type { RowLimits } from "../../types.ts";
import type { ChildFiles, ChildTable, ColumnText, ParquetGroup } from "../protocol.ts";
import { HOT_ROW_BYTES_MAX } from "../settings.ts";
import { QUERY_TABLES, type QueryTable } from "../tables.ts";

const NO_FILES: ChildTable = { parquet: [], hot: [], range: {} };
export const ATTRIBUTES = "attributes";

/**
 * A statement must not evaluate anything on hidden rows. The text of an error would reveal their values, and the row counts
 * of a scan in a plan would too. DuckDB moves no condition below an OFFSET, and an OFFSET of 0 skips no rows.
 */
const BARRIER = " OFFSET 0";

/**
 * Returns the name of the view that also has the columns of promoted attributes. Statements cannot use it, because the gate
 * knows no such table.
 */
export function promotedView(table: string): string {
  return `${table} with promoted attributes`;
}

/** Returns the promoted attributes that the statement reads and that some file of the table has as a column. */
export function promotedKeys({ parquet }: ChildTable): string[] {
  return [...new Set(parquet.flatMap(({ promoted }) => promoted))];
}

/** Returns the statements that create a query's tables over exactly its files. */
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

// Columns are listed by name and without casts. A cast would keep filters from reaching the files, and `*` would show the
// columns of promoted attributes.
function viewStatement(table: QueryTable, view: string, files: ChildFiles, keys: readonly string[]): string {
  const { parquet, hot, range, kept, equal = [] } = files.tables[table.name] ?? NO_FILES;
  const list = (names: readonly string[]): string =>
    `[${names.map((name) => quoteText(pathOf(files.directory, name))).join(", ")}]`;
  const where = conditions([
    ...times(range),
    ...keptOf(table.name, kept),
    ...equal.map(isEqual),
    ...visibility(table, files),
  ]);
  const isPart = isPartial(table, files);
  const select = (source: string, columns: readonly string[]): string =>
    `SELECT ${columns.join(", ")} FROM ${source}${where}`;
  // Without promoted attributes in the statement, a file's other columns do not matter.
  const groups = keys.length > 0 ? parquet : withoutColumns(parquet);
  const selects = groups
    .filter((group) => group.files.length > 0)
    .map((group) =>
      select(
        `read_parquet(${list(group.files)}, hive_partitioning = false, union_by_name = false)`,
        columnsOf(table, keys, group, isPart),
      ),
    );
  // Hot rows from before an update may need a derived severity. Deriving it for all of them costs little compared with
  // parsing JSON.
  const columns = columnsOf(table, keys, { promoted: [], oldSpellings: true }, isPart);
  if (hot.length > 0) selects.push(select(hotRows(table, list(hot)), columns));
  if (selects.length === 0) selects.push(emptySelect(table, keys));
  return `CREATE OR REPLACE TEMP VIEW ${quoteName(view)} AS ${selects.join(" UNION ALL ")}${isPart ? BARRIER : ""}`;
}

/** Groups all files again, only by the properties that affect the table's own columns. */
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
  if (table.name === "metrics" && name === "service") return SERVICE_OF_METRIC;
  if (table.name !== "logs") return quoteName(name);
  if (name === "severity") return severity;
  return name === "severity_name" ? severityNameSql(severity) : quoteName(name);
}

/**
 * Returns SQL for the same value in a column without a dictionary. DuckDB applies functions to all values of a dictionary,
 * even those of hidden rows. A function of two columns has a result without a dictionary. (Maps have none.)
 */
function alone(value: string): string {
  return `least(${value}, ${value})`;
}

/**
 * Reads the rows of NDJSON files, with values of type JSON from their text. Invalid text becomes NULL, so that the other
 * rows can still be read.
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

/** Hides rows that the rules of retention do not keep. */
function keptOf(table: string, kept: KeptRows | undefined): string[] {
  return kept === undefined ? [] : [keptSql(table as StoredTable, kept)];
}

function isEqual({ column, text }: ColumnText): string {
  return `${quoteName(column)} = ${quoteText(text)}`;
}

/** Returns whether the files may have hidden rows. */
function isPartial(table: QueryTable, { visible, onlyActor }: ChildFiles): boolean {
  if (table.actorColumn !== undefined && onlyActor !== undefined) return true;
  return visible !== "all" && (table.projectColumn !== undefined || visible.limits !== undefined);
}

function visibility(table: QueryTable, { visible, onlyActor }: ChildFiles): string[] {
  // An actor's own rows have no project and no resource.
  if (table.actorColumn !== undefined && onlyActor !== undefined)
    return [isEqual({ column: table.actorColumn, text: onlyActor })];
  return visibleRows(table, visible);
}

function visibleRows(table: QueryTable, visible: ChildFiles["visible"]): string[] {
  if (visible === "all") return [];
  const limits = visible.limits === undefined ? [] : [limited(table.name, visible.limits)];
  if (table.projectColumn === undefined) return limits;
  const column = quoteName(table.projectColumn);
  const parts: string[] = [];
  if (visible.projectIds.length > 0) parts.push(`${column} IN (${visible.projectIds.map(quoteText).join(", ")})`);
  if (visible.unassigned) parts.push(`${column} IS NULL`);
  return [anyOf(parts), ...limits];
}

/** Returns the condition for the rows of these resources. A table without such resources shows no row. */
function limited(table: string, { services, repositories, webhooks, buckets }: RowLimits): string {
  switch (table) {
    case "logs":
    case "traces":
      return among(quoteName("service"), services);
    case "metrics":
      return among(SERVICE_OF_METRIC, services);
    case "images":
      return among(quoteName("repository"), repositories);
    case "webhook_events":
      return among(quoteName("webhook_id"), webhooks);
    case "objects":
      return anyOf(
        buckets.map(
          ([appId, prefix]) => `("app_id" = ${quoteText(appId)} AND starts_with("key", ${quoteText(prefix)}))`,
        ),
      );
    default:
      return "false";
  }
}

function among(value: string, texts: readonly string[]): string {
  return texts.length === 0 ? "false" : `${value} IN (${texts.map(quoteText).join(", ")})`;
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 0 ? "false" : `(${parts.join(" OR ")})`;
}
