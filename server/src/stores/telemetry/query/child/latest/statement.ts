import { isObject, type Evaluate, type Json, type Tree } from "../../gate/index.ts";
import { nameParameters } from "../parameters.ts";
import { renderList } from "../render.ts";
import { listOf, nameOf, namesOf } from "../tree.ts";
import { quoteName } from "../views.ts";

/**
 * A statement for the newest rows of one table: `SELECT … FROM logs [WHERE …] ORDER BY timestamp DESC … LIMIT n [OFFSET m]`.
 */
export interface LatestRows {
  readonly table: string;
  /** The table's node. */
  readonly source: Json;
  /** The SELECT. */
  readonly select: Json;
  /** The number of needed rows: LIMIT and OFFSET together. */
  readonly count: number;
}

const COLUMN = "timestamp";
const COUNT_MAX = 100_000;
/** Functions that turn one row into several, or none. */
export const MULTIPLYING: ReadonlySet<string> = new Set(["unnest", "generate_subscripts", "regexp_split_to_table"]);
/** Functions whose value differs between calls. */
export const VOLATILE: ReadonlySet<string> = new Set(["random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid"]);
const ABSENT = ["group_expressions", "group_sets"] as const;
const NONE = ["having", "qualify", "sample"] as const;
const INNER: ReadonlySet<string> = new Set([
  "BETWEEN",
  "CASE",
  "CAST",
  "COLUMN_REF",
  "COMPARISON",
  "CONJUNCTION",
  "CONSTANT",
  "FUNCTION",
  "OPERATOR",
  "PARAMETER",
]);

/**
 * Returns the newest rows that the statement needs. Undefined unless each result row comes from one row of a table, and the
 * newest `count` rows decide the result.
 */
export function latestRows({ statement, references }: Tree): LatestRows | undefined {
  const select = statement["node"];
  if (!isObject(select) || select["type"] !== "SELECT_NODE" || !isPlainSelect(select)) return undefined;
  const source = select["from_table"];
  const table = isObject(source) ? references.get(source) : undefined;
  if (!isObject(source) || table === undefined || source["sample"] || listOf(source["column_name_alias"]).length > 0)
    return undefined;
  const [order, limit, ...more] = listOf(select["modifiers"]);
  if (more.length > 0 || !isNewestFirst(order, nameOf(source))) return undefined;
  if (!listOf(select["select_list"]).every(isPlainItem)) return undefined;
  const where = select["where_clause"];
  if (isObject(where) && !isPlain(where, VOLATILE)) return undefined;
  const count = countOf(limit);
  return count === undefined ? undefined : { table, source, select, count };
}

/** Returns the statement that finds the time of the last needed row. It reads the views that exist when it runs. */
export async function boundStatement({ source, select, count }: LatestRows, evaluate: Evaluate): Promise<string> {
  const name = quoteName(String(source["alias"] || source["table_name"]));
  const where = select["where_clause"];
  const [condition] = isObject(where) ? await renderList([where], evaluate, nameParameters) : [];
  const filter = condition === undefined ? "" : ` WHERE ${condition}`;
  return `SELECT epoch_us(${name}."${COLUMN}") FROM ${quoteName(String(source["table_name"]))} AS ${name}${filter} ORDER BY ${name}."${COLUMN}" DESC LIMIT 1 OFFSET ${count - 1}`;
}

function isPlainSelect(select: Json): boolean {
  const { cte_map: ctes, aggregate_handling: handling } = select;
  const hasCtes = isObject(ctes) && listOf(ctes["map"]).length > 0;
  if (hasCtes || handling !== "STANDARD_HANDLING" || NONE.some((clause) => select[clause])) return false;
  return ABSENT.every((clause) => listOf(select[clause]).length === 0);
}

function isNewestFirst(modifier: unknown, table: string): boolean {
  if (!isObject(modifier) || modifier["type"] !== "ORDER_MODIFIER") return false;
  const [first, ...rest] = listOf(modifier["orders"]).filter(isObject);
  if (first === undefined || first["type"] !== "DESCENDING" || first["null_order"] === "NULLS_FIRST") return false;
  if (!isTime(first["expression"], table)) return false;
  return rest.every(({ expression }) => isObject(expression) && isPlain(expression, new Set()));
}

function isTime(expression: unknown, table: string): boolean {
  if (!isObject(expression) || expression["class"] !== "COLUMN_REF") return false;
  const [name, ...before] = namesOf(expression).toReversed();
  return name === COLUMN && (before.length === 0 || (before.length === 1 && before[0] === table));
}

/** Returns whether an item neither multiplies rows nor changes the meaning of `timestamp` in ORDER BY. */
function isPlainItem(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (String(item["alias"]).toLowerCase() === COLUMN) return false;
  if (item["class"] !== "STAR") return isPlain(item, new Set());
  const { replace_list: replaced, rename_list: renamed, columns, expr } = item;
  return columns !== true && !expr && isEmpty(replaced) && isEmpty(renamed);
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** Returns whether an expression has no subquery, no window function, and no function that is refused or multiplies rows. */
function isPlain(node: unknown, refused: ReadonlySet<string>): boolean {
  if (Array.isArray(node)) return node.every((each) => isPlain(each, refused));
  if (!isObject(node) || node["class"] === "CONSTANT") return true;
  const { class: kind } = node;
  if (typeof kind === "string" && !INNER.has(kind)) return false;
  if (kind === "FUNCTION") {
    const name = String(node["function_name"]).toLowerCase();
    if (MULTIPLYING.has(name) || refused.has(name)) return false;
  }
  if (kind === "CAST") return isPlain(node["child"], refused);
  return Object.values(node).every((each) => typeof each !== "object" || isPlain(each, refused));
}

function countOf(modifier: unknown): number | undefined {
  if (!isObject(modifier) || modifier["type"] !== "LIMIT_MODIFIER") return undefined;
  const { limit, offset } = modifier;
  const [shown, passed] = [wholeNumber(limit), offset ? wholeNumber(offset) : 0];
  if (shown === undefined || passed === undefined) return undefined;
  const count = shown + passed;
  return count >= 1 && count <= COUNT_MAX ? count : undefined;
}

function wholeNumber(node: unknown): number | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT" || !isObject(node["value"])) return undefined;
  const { value } = node["value"];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
