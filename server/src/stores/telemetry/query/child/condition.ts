import { isoFromMs } from "#kernel/time.ts";
import {
  admit,
  copyOf,
  isObject,
  readTree,
  Refusal,
  SyntaxFault,
  type Admitted,
  type Evaluate,
  type Json,
} from "../gate/index.ts";
import { OWN_FUNCTIONS } from "../gate/functions.ts";
import { locationOf } from "../gate/locate.ts";
import type { QueryTable } from "../tables.ts";
import { renderList } from "./render.ts";
import { childrenOf, listOf, namesOf, someNode } from "./tree.ts";

/** Names of the moment, and the kind of literal that replaces them. A condition runs for hours, and must choose the same rows. */
const MOMENTS: ReadonlyMap<string, "time" | "date"> = new Map([
  ["now", "time"],
  ["get_current_timestamp", "time"],
  ["transaction_timestamp", "time"],
  ["current_timestamp", "time"],
  ["today", "date"],
  ["current_date", "date"],
]);

/** Functions whose result is not the same for equal arguments, and that have no fixed value to stand in their place. */
const CHANGING: ReadonlySet<string> = new Set(
  "random uuid uuidv4 uuidv7 gen_random_uuid get_current_time current_localtime current_localtimestamp".split(" "),
);

/** The functions that a condition may not call although a statement may, for the test that knows all of the engine's. */
export const TREATED_FUNCTIONS: ReadonlySet<string> = new Set([...MOMENTS.keys(), ...CHANGING]);

export interface ConditionOf {
  readonly table: QueryTable;
  /** The moment that `now()` stands for. Null: the condition was rendered before, so it has no `now()`. */
  readonly nowMs: number | null;
}

/** A condition that chooses rows of one table. */
export interface AdmittedCondition {
  /** The condition, rendered from the checked tree. Only this may run. */
  readonly sql: string;
  /** A statement that reads the chosen rows. Its places are those of `conditionPrefix` and the sent condition. */
  readonly admitted: Admitted;
}

/** Returns the text before the condition in the statement that is checked. */
export function conditionPrefix(table: string): string {
  return `SELECT * FROM ${table} WHERE\n`;
}

/**
 * Checks a boolean expression over the columns of one table. It may use what a statement may use, except subqueries,
 * parameters, and functions with changing results. `now()` becomes a literal. The rendered text is checked again.
 * @throws SyntaxFault for text that does not parse, Refusal for a part that is not allowed
 */
export async function admitCondition(
  condition: string,
  of: ConditionOf,
  evaluate: Evaluate,
): Promise<AdmittedCondition> {
  const { admitted, where } = await checkedTree(condition, of, evaluate);
  const fixed = fixMoments(where, await literalsOf(of.nowMs, evaluate)) as Json;
  const [sql = ""] = await renderList([fixed], evaluate);
  await checkedTree(sql, of, evaluate);
  return { sql, admitted };
}

async function checkedTree(
  condition: string,
  { table }: ConditionOf,
  evaluate: Evaluate,
): Promise<{ admitted: Admitted; where: Json }> {
  const names = new Set([table.name]);
  const admitted = await admit(`${conditionPrefix(table.name)}${condition}`, names, evaluate);
  const plain = await admit(`${conditionPrefix(table.name)}true`, names, evaluate);
  const frameOf = (of: Admitted): string => JSON.stringify(withoutWhere(JSON.parse(of.source) as Json));
  if (admitted.pivots !== undefined || frameOf(admitted) !== frameOf(plain))
    throw new Refusal("more than a condition", "write one boolean expression, as after WHERE");
  const where = readTree({ tree: admitted.source }, names).statement["node"] as Json;
  requireCondition(where["where_clause"], table);
  return { admitted, where: where["where_clause"] as Json };
}

/** Returns everything of a statement but its condition, without places. */
function withoutWhere(tree: Json): unknown {
  return JSON.parse(
    JSON.stringify(tree, (name, value: unknown) =>
      name === "where_clause" || name === "query_location" ? undefined : value,
    ),
  );
}

/** @throws Refusal, SyntaxFault */
function requireCondition(where: unknown, table: QueryTable): void {
  const lambdas = lambdaNames(where);
  const columns = new Set(table.columns.map(({ name }) => name));
  someNode(where, (node) => {
    const fault = faultOf(node, { columns, lambdas, table: table.name });
    if (fault === undefined) return false;
    fault.at ??= locationOf(node);
    throw fault;
  });
}

interface Names {
  readonly columns: ReadonlySet<string>;
  readonly lambdas: ReadonlySet<string>;
  readonly table: string;
}

function faultOf(node: Json, names: Names): Refusal | SyntaxFault | undefined {
  switch (node["class"]) {
    case "SUBQUERY":
      return new Refusal("a subquery in a condition", "a condition reads only the columns of one row");
    case "PARAMETER":
      return new Refusal("a parameter in a condition", "write the value as a literal");
    case "WINDOW":
      return new Refusal("a window function in a condition", "a condition reads only the columns of one row");
    case "STAR":
      return new Refusal("a star in a condition", "name the columns");
    case "COLUMN_REF":
      return columnFault(node, names);
    case "FUNCTION":
      return functionFault(node);
    default:
      return undefined;
  }
}

function columnFault(node: Json, { columns, lambdas, table }: Names): SyntaxFault | Refusal | undefined {
  const [first = "", second] = namesOf(node);
  if (first === table && second !== undefined && columns.has(second)) return undefined;
  if (columns.has(first) || lambdas.has(first) || MOMENTS.has(first)) return undefined;
  if (/^(local|current_)time/.test(first)) return changing(first);
  return new SyntaxFault(`the table ${table} has no column "${first.slice(0, 64)}"`);
}

function functionFault(node: Json): Refusal | undefined {
  const name = String(node["function_name"]).toLowerCase();
  if (CHANGING.has(name)) return changing(name);
  if (name === "age" && childrenOf(node).length < 2)
    return new Refusal("age with one argument in a condition", "write age(now(), timestamp)");
  if (OWN_FUNCTIONS.has(name)) return new Refusal(`the function ${name} in a condition`, "use functions of DuckDB");
  return undefined;
}

function changing(name: string): Refusal {
  const hint = "its result changes, and a condition must always choose the same rows; use now()";
  return new Refusal(`${name} in a condition`, hint);
}

/** Returns the names of the parameters of lambdas. */
function lambdaNames(where: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  someNode(where, (node) => {
    if (node["class"] !== "LAMBDA") return false;
    someNode(node["lhs"], (parameter) => {
      for (const name of listOf(parameter["column_names"])) names.add(String(name).toLowerCase());
      return false;
    });
    return false;
  });
  return names;
}

type Literals = Readonly<Record<"time" | "date", Json>>;

async function literalsOf(nowMs: number | null, evaluate: Evaluate): Promise<Literals | null> {
  if (nowMs === null) return null;
  const iso = isoFromMs(nowMs);
  const sql = `SELECT '${iso}'::TIMESTAMPTZ, '${iso.slice(0, 10)}'::DATE`;
  const parsed = JSON.parse(await evaluate("SELECT json_serialize_sql($1::VARCHAR)", sql)) as {
    statements: [{ node: { select_list: [Json, Json] } }];
  };
  const [time, date] = parsed.statements[0].node.select_list;
  return { time, date };
}

/** Returns the tree with literals in the place of `now()` and its like. */
function fixMoments(value: unknown, literals: Literals | null): unknown {
  if (Array.isArray(value)) return value.map((item) => fixMoments(item, literals));
  // A number whose text is kept (`keepNumbers`) is an object without parts.
  if (!isObject(value) || value["class"] === "CONSTANT" || Object.hasOwn(value, "rawJSON")) return value;
  const moment = momentOf(value);
  if (moment !== undefined && literals === null) throw new Refusal("now() in a rendered condition");
  if (moment !== undefined && literals !== null) return { ...copyOf(literals[moment]), alias: value["alias"] ?? "" };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fixMoments(member, literals)]));
}

function momentOf(node: Json): "time" | "date" | undefined {
  if (node["class"] === "FUNCTION") return MOMENTS.get(String(node["function_name"]).toLowerCase());
  if (node["class"] !== "COLUMN_REF") return undefined;
  const names = namesOf(node);
  return names.length === 1 ? MOMENTS.get(names[0] ?? "") : undefined;
}
