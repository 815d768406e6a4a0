import { QUERY_TABLES, type QueryTable } from "../tables.ts";
import type { ChildQuery } from "../protocol.ts";
import type { SnapshotTable } from "../../snapshot.ts";
import { HOT_ROW_BYTES_MAX } from "../settings.ts";

const NO_FILES: SnapshotTable = { parquet: [], hot: [] };

/** The statements that make the tables of one query, over exactly its files. */
export function viewStatements(query: ChildQuery, used: ReadonlySet<string>): string[] {
  return QUERY_TABLES.filter(({ name }) => used.has(name)).map((table) =>
    viewStatement(table, query.files[table.name] ?? NO_FILES, query.visible),
  );
}

/** Every file that the used tables have. */
export function viewFiles(query: ChildQuery, used: ReadonlySet<string>): string[] {
  return QUERY_TABLES.filter(({ name }) => used.has(name)).flatMap(({ name }) => {
    const files = query.files[name] ?? NO_FILES;
    return [...files.parquet, ...files.hot].map(({ path }) => path);
  });
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function fileList(files: readonly { readonly path: string }[]): string {
  return `[${files.map(({ path }) => quoteText(path)).join(", ")}]`;
}

// Columns are named one by one and never cast: a cast would keep filters from reaching the files, and `*` would show their names.
function viewStatement(table: QueryTable, files: SnapshotTable, visible: ChildQuery["visible"]): string {
  const columns = table.columns.map(({ name }) => quoteName(name)).join(", ");
  const types = table.columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`).join(", ");
  const where = visibility(table, visible);
  const sources: string[] = [];
  if (files.parquet.length > 0)
    sources.push(`read_parquet(${fileList(files.parquet)}, hive_partitioning = false, union_by_name = false)`);
  if (files.hot.length > 0) {
    sources.push(
      `read_json(${fileList(files.hot)}, format = 'newline_delimited', compression = 'uncompressed', hive_partitioning = false, maximum_object_size = ${HOT_ROW_BYTES_MAX}, columns = {${types}})`,
    );
  }
  const selects = sources.map((source) => `SELECT ${columns} FROM ${source}${where}`);
  if (selects.length === 0) {
    const empty = table.columns.map(({ name, type }) => `NULL::${type} AS ${quoteName(name)}`).join(", ");
    selects.push(`SELECT ${empty} WHERE false`);
  }
  return `CREATE VIEW main.${quoteName(table.name)} AS ${selects.join(" UNION ALL ")}`;
}

function visibility(table: QueryTable, visible: ChildQuery["visible"]): string {
  if (visible === "all") return "";
  const column = quoteName(table.projectColumn);
  const parts: string[] = [];
  if (visible.projectIds.length > 0) parts.push(`${column} IN (${visible.projectIds.map(quoteText).join(", ")})`);
  if (visible.unassigned) parts.push(`${column} IS NULL`);
  return ` WHERE ${parts.length === 0 ? "false" : `(${parts.join(" OR ")})`}`;
}
