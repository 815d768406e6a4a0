import { isObject } from "./refusal.ts";
import { childrenOf, isArrow, type Node } from "./operators.ts";

/**
 * DuckDB reads the key `''` as the path to the whole value. This JSON pointer (RFC 6901) is the path to the member with the
 * empty name.
 */
const EMPTY_NAME = "/";

/**
 * Makes `attributes->>''` read the member with the empty name, as in PostgreSQL. Without such a member the result is
 * NULL, not the whole object. The name of the result does not change.
 * @param root a tree of `json_serialize_sql` whose arrows are corrected
 * @param isLambda returns whether an apparent arrow is a lambda: `x -> ''`
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

/** Returns the value of the key if it is an empty literal. */
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
