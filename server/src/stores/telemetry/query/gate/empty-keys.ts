import { isObject } from "./refusal.ts";
import { childrenOf, isArrow, type Node } from "./operators.ts";

/** DuckDB reads the key `''` as the path to the whole value; this one, a JSON pointer (RFC 6901), names the member with the empty name. */
const EMPTY_NAME = "/";

/**
 * Makes `attributes->>''` read the member whose name is empty, as in PostgreSQL: NULL where there is none, and not the whole object. A result keeps
 * the name that it would have had.
 *
 * @param root a tree of `json_serialize_sql` whose arrows are mended
 * @param isLambda whether what looks like an arrow is a function: `x -> ''`
 */
export function mendEmptyKeys(root: unknown, isLambda: (node: unknown) => boolean): void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value) || value["class"] === "CONSTANT") return;
    if (value["type"] === "SELECT_NODE" && Array.isArray(value["select_list"]))
      value["select_list"].forEach(nameResult);
    const key = isLambda(value) ? undefined : emptyKeyOf(value);
    if (key !== undefined) key.value = EMPTY_NAME;
    for (const member of Object.values(value)) if (typeof member === "object") visit(member);
  };
  visit(root);
}

function nameResult(item: unknown): void {
  if (!isObject(item) || item["alias"] || emptyKeyOf(item) === undefined) return;
  const [column] = sidesOf(item);
  if (!isObject(column) || !Array.isArray(column["column_names"])) return;
  const arrow = item["class"] === "LAMBDA" ? "->" : String(item["function_name"]);
  (item as Node)["alias"] = `(${column["column_names"].join(".")} ${arrow} '')`;
}

/** The value of a literal key that is empty. */
function emptyKeyOf(node: unknown): { value?: unknown } | undefined {
  if (!isObject(node) || !isArrow(node)) return undefined;
  const [, key] = sidesOf(node);
  if (!isObject(key) || key["class"] !== "CONSTANT" || !isObject(key["value"])) return undefined;
  const { type, value, is_null: isNull } = key["value"];
  const isText = isObject(type) && type["id"] === "VARCHAR";
  return isText && isNull !== true && value === "" ? key["value"] : undefined;
}

function sidesOf(node: Readonly<Node>): readonly unknown[] {
  return node["class"] === "LAMBDA" ? [node["lhs"], node["expr"]] : childrenOf(node);
}
