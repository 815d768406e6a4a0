import { isObject } from "./refusal.ts";

/**
 * Turns SHOW TABLES into a statement over our tables, because the engine's own would list its catalog. Returns undefined for
 * any other statement.
 */
export function shownTables(parsed: string, tables: ReadonlySet<string>): string | undefined {
  const { statements } = JSON.parse(parsed) as { statements?: unknown };
  const [only, ...more] = Array.isArray(statements) ? (statements as unknown[]) : [];
  const from = isObject(only) && isObject(only["node"]) ? only["node"]["from_table"] : undefined;
  if (more.length > 0 || !isObject(from) || from["type"] !== "SHOW_REF") return undefined;
  const isTables =
    from["table_name"] === '"tables"' && from["show_type"] === "SHOW_UNQUALIFIED" && from["query"] === null;
  const names = [...tables].toSorted().map((name) => `'${name}'`);
  return isTables ? `SELECT unnest([${names.join(", ")}]) AS name` : undefined;
}

/** Space and comments, then EXPLAIN, optionally with ANALYZE. */
const EXPLAIN = /^(?:\s|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*explain\b(\s+analyze\b)?/i;

/**
 * Returns the statement after EXPLAIN, at the same offset, and the requested kind of plan. Undefined for a statement without
 * EXPLAIN.
 */
export function explained(sql: string): { readonly sql: string; readonly explain: "plan" | "analyze" } | undefined {
  const [head, analyze] = EXPLAIN.exec(sql) ?? [];
  if (head === undefined) return undefined;
  const space = " ".repeat(Buffer.byteLength(head)); // offsets stay the same
  return { sql: space + sql.slice(head.length), explain: analyze === undefined ? "plan" : "analyze" };
}
