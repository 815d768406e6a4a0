import { isObject, type Evaluate, type Json, type Tree } from "../gate/index.ts";
import { canBeNamed, keepNames, unnamedItems } from "./item-names.ts";
import { QUERY_TABLES } from "../tables.ts";
import { childrenOf, eachSelect, listOf, nameOf, namesOf, someNode } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** A call of `date_trunc`, and its place in the tree. */
interface Call {
  readonly node: Json;
  readonly holder: Mutable;
  readonly member: string;
}

const COLUMN = "timestamp";
const TABLES: ReadonlySet<string> = new Set(
  QUERY_TABLES.filter(({ columns }) => columns.some(({ name, type }) => name === COLUMN && type === "TIMESTAMPTZ")).map(
    ({ name }) => name,
  ),
);
const FUNCTIONS: ReadonlySet<string> = new Set(["date_trunc", "datetrunc"]);
/**
 * Units whose length never changes in UTC. For each unit: its length, and the time from the start of one unit to 1970-01-01,
 * in microseconds.
 */
const UNITS: ReadonlyMap<string, readonly [lengthUs: number, beforeUs: number]> = new Map([
  ["second", [1e6, 0]],
  ["minute", [60e6, 0]],
  ["hour", [3600e6, 0]],
  ["day", [86_400e6, 0]],
  ["week", [7 * 86_400e6, 3 * 86_400e6]],
]);
/** 1970-01-01 and 2200-01-01 in microseconds. Other times, NULL and the infinities still call `date_trunc`. */
const FROM_US = 0;
const TO_US = 7_258_118_400_000_000;
const CLAUSES = ["select_list", "where_clause", "group_expressions", "having", "qualify", "modifiers"] as const;

/**
 * Rewrites `date_trunc('minute', timestamp)` of a table's own `timestamp` as arithmetic, which is ten times faster: the
 * engine uses a calendar with time zones for each row, but a session is always in UTC. Changes nothing when the meaning of
 * `timestamp` is not certain.
 * @returns whether the tree was changed
 */
export async function truncateByArithmetic({ statement, references }: Tree, evaluate: Evaluate): Promise<boolean> {
  if (!someNode(statement, isTruncation) || hasOrderedSet(statement)) return false;
  const calls: Call[] = [];
  eachSelect(statement, (select) => {
    const names = namesOfTables(select["from_table"], references);
    if (names === undefined || listOf(select["select_list"]).some(givesTime)) return;
    for (const clause of CLAUSES) find(select, clause, names, calls);
  });
  if (calls.length === 0) return false;
  const names = unnamedItems(statement, isTruncation);
  if (!canBeNamed(names)) return false;
  for (const { node, holder, member } of calls) holder[member] = arithmetic(node);
  await keepNames(names, evaluate);
  return true;
}

/** Returns the names of the parts of a FROM, if each of them is a table whose `timestamp` has the known type. */
function namesOfTables(from: unknown, references: ReadonlyMap<Json, string>): string[] | undefined {
  if (!isObject(from)) return undefined;
  if (from["type"] === "JOIN") {
    const [left, right] = [namesOfTables(from["left"], references), namesOfTables(from["right"], references)];
    return left && right && [...left, ...right];
  }
  const isKnown = TABLES.has(references.get(from) ?? "") && listOf(from["column_name_alias"]).length === 0;
  return isKnown ? [nameOf(from)] : undefined;
}

/** Returns whether an item of the list could be meant by `timestamp` elsewhere in the SELECT. */
function givesTime(item: unknown): boolean {
  if (!isObject(item)) return true;
  if (item["class"] !== "STAR") return String(item["alias"]).toLowerCase() === COLUMN;
  const { replace_list: replaced, rename_list: renamed, columns, expr } = item;
  return columns === true || Boolean(expr) || listOf(replaced).length > 0 || listOf(renamed).length > 0;
}

/** Returns whether a UNION has an ORDER BY, which finds its columns by their text. */
function hasOrderedSet(statement: Json): boolean {
  const isOrdered = (node: Json): boolean => listOf(node["modifiers"]).length > 0 && node["type"] !== "SELECT_NODE";
  return someNode(statement, (node) => isObject(node["left"]) && isOrdered(node));
}

function find(holder: Mutable, member: string, names: readonly string[], calls: Call[]): void {
  const node = holder[member];
  if (Array.isArray(node)) {
    for (const index of node.keys()) find(node as unknown as Mutable, String(index), names, calls);
    return;
  }
  if (!isObject(node)) return;
  if (isTruncation(node)) {
    const [, column] = childrenOf(node);
    const [, ...before] = namesOf(column as Json).toReversed();
    if (before.length === 0 || (before.length === 1 && names.includes(before[0] ?? "")))
      calls.push({ node, holder, member });
    return;
  }
  // A lambda's parameters may have any name. A subquery is examined separately.
  if (node["class"] === "CONSTANT" || node["class"] === "LAMBDA") return;
  for (const key of Object.keys(node))
    if (node["class"] !== "SUBQUERY" || key === "child") find(node, key, names, calls);
}

function isTruncation(node: Json): boolean {
  const { class: kind, function_name: name, schema, catalog, filter, distinct, order_bys: orders } = node;
  if (kind !== "FUNCTION" || !FUNCTIONS.has(String(name).toLowerCase())) return false;
  if (schema || catalog || filter || distinct || (isObject(orders) && listOf(orders["orders"]).length > 0))
    return false;
  const [unit, column, ...more] = childrenOf(node);
  if (more.length > 0 || !isObject(column) || column["class"] !== "COLUMN_REF") return false;
  return unitOf(unit) !== undefined && namesOf(column).at(-1) === COLUMN;
}

function unitOf(node: unknown): readonly [number, number] | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT" || !isObject(node["value"])) return undefined;
  const { value, type } = node["value"];
  const isText = isObject(type) && type["id"] === "VARCHAR" && typeof value === "string";
  return isText ? UNITS.get(value.toLowerCase()) : undefined;
}

function arithmetic(call: Json): Json {
  const [unit, column] = childrenOf(call);
  const [lengthUs, beforeUs] = unitOf(unit) ?? [1, 0];
  const us = plainCall("epoch_us", [column]);
  const shifted = beforeUs === 0 ? us : operator("+", [us, whole(beforeUs)]);
  const fast = plainCall("make_timestamptz", [operator("-", [us, operator("%", [shifted, whole(lengthUs)])])]);
  const within = {
    class: "BETWEEN",
    type: "COMPARE_BETWEEN",
    alias: "",
    input: us,
    lower: whole(FROM_US),
    upper: whole(TO_US),
  };
  return {
    class: "CASE",
    type: "CASE_EXPR",
    alias: call["alias"],
    case_checks: [{ when_expr: within, then_expr: fast }],
    else_expr: { ...call, alias: "" },
  };
}

function plainCall(name: string, children: readonly unknown[]): Json {
  const orders = { type: "ORDER_MODIFIER", orders: [] };
  return {
    class: "FUNCTION",
    type: "FUNCTION",
    alias: "",
    function_name: name,
    schema: "",
    children,
    filter: null,
    order_bys: orders,
    distinct: false,
    is_operator: false,
    export_state: false,
    catalog: "",
  };
}

function operator(name: string, children: readonly unknown[]): Json {
  return { ...plainCall(name, children), is_operator: true };
}

function whole(value: number): Json {
  const type = { id: "BIGINT", type_info: null };
  return { class: "CONSTANT", type: "VALUE_CONSTANT", alias: "", value: { type, is_null: false, value } };
}
