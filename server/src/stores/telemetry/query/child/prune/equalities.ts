import { isObject, type Json } from "../../gate/index.ts";
import type { ChildQuery, ColumnText } from "../../protocol.ts";
import type { QueryParameter } from "../../../types.ts";
import { QUERY_TABLES } from "../../tables.ts";
import { childrenOf, eachSelect } from "../tree.ts";
import { isAlone, isColumn, sourcesOf } from "./conditions.ts";

/** Text columns that select few rows. */
const COLUMNS = ["trace_id", "span_id"];

/**
 * Finds conditions `column = 'text'` of a WHERE, by table. Only for a table that is used once, where removing the other rows
 * can't change the joins. These conditions may be evaluated on hidden rows, because comparing two texts can't fail.
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

/** Returns the text that the column must have, from a condition or a part of an AND. */
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
