import type { DuckDBConnection } from "@duckdb/node-api";
import { isObject, PIVOT_MARK, render, type Evaluate, type Json, type Tree } from "../gate/index.ts";
import type { ChildQuery } from "../protocol.ts";
import { Failure } from "./failure.ts";
import { bindNamed, nameParameters } from "./parameters.ts";
import { listOf } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** The most values of one PIVOT. Each value becomes columns of the result. */
const VALUES_MAX = 500;

/** A column of a PIVOT without a list of values. */
interface Open {
  readonly column: Mutable;
  readonly source: unknown;
  /** The common table expressions in its scope. */
  readonly ctes: readonly unknown[];
}

interface Fill {
  readonly query: ChildQuery;
  readonly tables: ReadonlySet<string>;
  readonly connection: DuckDBConnection;
  readonly evaluate: Evaluate;
}

/**
 * Adds the values of each PIVOT that does not list them. The values come from the rows, in the same transaction, and are
 * sorted as texts.
 * @throws Failure `query_too_large` for too many values; or the failure of the search
 */
export async function fillPivots(tree: Tree, fill: Fill): Promise<void> {
  const open: Open[] = [];
  find(tree.statement, [], open);
  for (const each of open) each.column["entries"] = entriesOf(await valuesOf(each, fill));
}

function find(node: unknown, ctes: readonly unknown[], open: Open[]): void {
  if (Array.isArray(node)) for (const item of node as unknown[]) find(item, ctes, open);
  if (!isObject(node)) return;
  const own = isObject(node["cte_map"]) ? listOf(node["cte_map"]["map"]) : [];
  const scope = [...ctes, ...own];
  if (node["type"] === "PIVOT")
    for (const column of listOf(node["pivots"]))
      if (isOpen(column)) open.push({ column, source: node["source"], ctes: scope });
  for (const member of Object.values(node)) if (typeof member === "object") find(member, scope, open);
}

function isOpen(column: unknown): column is Mutable {
  if (!isObject(column)) return false;
  const values = listOf(column["entries"]).flatMap((entry) => (isObject(entry) ? listOf(entry["values"]) : []));
  return values.some((value) => isObject(value) && value["value"] === PIVOT_MARK);
}

async function valuesOf(
  { column, source, ctes }: Open,
  { query, tables, connection, evaluate }: Fill,
): Promise<string[]> {
  const [expression] = listOf(column["pivot_expressions"]);
  const text = { id: "VARCHAR", type_info: null };
  const value = {
    class: "CAST",
    type: "OPERATOR_CAST",
    alias: "v",
    child: expression,
    cast_type: text,
    try_cast: false,
  };
  const node = {
    type: "SELECT_NODE",
    modifiers: [],
    cte_map: { map: ctes },
    select_list: [value],
    from_table: source,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: "STANDARD_HANDLING",
    having: null,
    sample: null,
    qualify: null,
  };
  const written = nameParameters(JSON.stringify({ error: false, statements: [{ node, named_param_map: [] }] }));
  const { sql } = await render(written, tables, evaluate);
  const statement = await connection.prepare(
    `SELECT DISTINCT v FROM (${sql}) WHERE v IS NOT NULL ORDER BY v LIMIT ${VALUES_MAX + 1}`,
  );
  bindNamed(statement, query.parameters);
  const values = (await statement.runAndReadAll()).getRows().map(([each]) => String(each));
  if (values.length > VALUES_MAX)
    throw new Failure(
      "query_too_large",
      `the PIVOT has more than ${VALUES_MAX} values; list those that you want: ON column IN ('a', 'b')`,
    );
  return values;
}

/** Returns the values as nodes. Without values, the result has one column, and its name says so. */
function entriesOf(values: readonly string[]): Json[] {
  const type = { id: "VARCHAR", type_info: null };
  const entry = (value: string, alias = ""): Json => ({
    values: [{ type, is_null: false, value }],
    star_expr: null,
    alias,
  });
  return values.length === 0 ? [entry(PIVOT_MARK, "no values")] : values.map((value) => entry(value));
}
