import { isObject } from "./refusal.ts";

/** SHOW TABLES as a statement over our tables: the engine's own would list its catalog. Undefined for any other statement. */
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

/** Space and comments, then EXPLAIN, perhaps with ANALYZE. */
const EXPLAIN = /^(?:\s|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*explain\b(\s+analyze\b)?/i;

/** A statement behind EXPLAIN, where it stood, and what sort of plan is wanted. Undefined for a statement without. */
export function explained(sql: string): { readonly sql: string; readonly explain: "plan" | "analyze" } | undefined {
  const [head, analyze] = EXPLAIN.exec(sql) ?? [];
  if (head === undefined) return undefined;
  const space = " ".repeat(Buffer.byteLength(head)); // places stay what they are
  return { sql: space + sql.slice(head.length), explain: analyze === undefined ? "plan" : "analyze" };
}
