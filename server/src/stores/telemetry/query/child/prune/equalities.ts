import { isObject, type Json } from "../../gate/index.ts";
import type { ChildQuery, ColumnText } from "../../protocol.ts";
import type { QueryParameter } from "../../../types.ts";
import { QUERY_TABLES } from "../../tables.ts";
import { childrenOf, eachSelect } from "../tree.ts";
import { isAlone, isColumn, sourcesOf } from "./conditions.ts";

/** Columns of text that select a few rows of many. */
const COLUMNS = ["trace_id", "span_id"];

/**
 * By table: what `column = 'text'` of the WHERE says of its rows, where the table is read once only and leaving out the others can't change what
 * else the joins find. Only these conditions are fit to be tried on rows that may not be seen: that of two texts can't fail.
 */
export function equalities(
  statement: Json,
  references: ReadonlyMap<Json, string>,
  parameters: ChildQuery["parameters"],
): Map<string, readonly ColumnText[]> {
  const found = new Map<string, readonly ColumnText[]>();
  const tables = [...references.values()];
  eachSelect(statement, (select) => {
    if (select["sample"]) return; // a sample is taken before WHERE
    for (const column of COLUMNS) {
      const sources = sourcesOf(select["from_table"], column);
      for (const { node, name, separable } of sources) {
        const table = references.get(node);
        if (table === undefined || !separable || !isAlone(name, sources) || !has(table, column)) continue;
        if (tables.filter((each) => each === table).length > 1) continue;
        const text = textOf(select["where_clause"], column, name, parameters);
        if (text !== undefined) found.set(table, [...(found.get(table) ?? []), { column, text }]);
      }
    }
  });
  return found;
}

function has(table: string, column: string): boolean {
  return QUERY_TABLES.some(({ name, columns }) => name === table && columns.some((each) => each.name === column));
}

/** The text that a condition, or a part of it that must hold, wants in the column. */
function textOf(
  condition: unknown,
  column: string,
  table: string,
  parameters: ChildQuery["parameters"],
): string | undefined {
  if (!isObject(condition)) return undefined;
  if (condition["type"] === "CONJUNCTION_AND") {
    for (const part of childrenOf(condition)) {
      const text = textOf(part, column, table, parameters);
      if (text !== undefined) return text;
    }
  }
  if (condition["type"] !== "COMPARE_EQUAL") return undefined;
  const { left, right } = condition;
  if (isColumn(left, column, table)) return valueOf(right, parameters);
  return isColumn(right, column, table) ? valueOf(left, parameters) : undefined;
}

function valueOf(node: unknown, parameters: ChildQuery["parameters"]): string | undefined {
  if (!isObject(node)) return undefined;
  const value = node["class"] === "PARAMETER" ? parameter(node["identifier"], parameters) : constant(node);
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0") ? value : undefined;
}

function parameter(identifier: unknown, parameters: ChildQuery["parameters"]): QueryParameter | undefined {
  if (Array.isArray(parameters)) return (parameters as readonly QueryParameter[])[Number(identifier) - 1];
  const named = parameters as Readonly<Record<string, QueryParameter>>;
  return Object.hasOwn(named, String(identifier)) ? named[String(identifier)] : undefined;
}

function constant(node: Json): unknown {
  if (node["class"] !== "CONSTANT" || !isObject(node["value"])) return undefined;
  const { type, value, is_null: isNull } = node["value"];
  return isObject(type) && type["id"] === "VARCHAR" && isNull !== true ? value : undefined;
}
