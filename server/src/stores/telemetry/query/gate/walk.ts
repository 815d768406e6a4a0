import { LITERAL_COUNT_MAX, SQL_DEPTH_MAX, SQL_NODES_MAX } from "../settings.ts";
import {
  ALLOWED_AGGREGATES,
  ALLOWED_FUNCTIONS,
  ALLOWED_TABLE_FUNCTIONS,
  COUNTED_ARGUMENTS,
  NAMED_AGGREGATES,
  OWN_FUNCTIONS,
  OWN_TABLE_FUNCTIONS,
} from "./functions.ts";
import {
  CASE_CHECK,
  CTE,
  EXPRESSIONS,
  MODIFIERS,
  OPERATORS,
  ORDER,
  PIVOT_COLUMN,
  PIVOT_ENTRY,
  QUERIES,
  RENAME,
  REPLACEMENT,
  SAMPLE,
  STATEMENT,
  TABLES,
  type Check,
  type Members,
} from "./nodes.ts";
import { locationOf } from "./locate.ts";
import { didYouMean } from "#kernel/nearest.ts";
import { isObject, Refusal, SyntaxFault, textOf, tooDeep, type Json } from "./refusal.ts";
import { refusalReason } from "./refused.ts";
import { checkType } from "./types.ts";

/** The names that a FROM may use: tables, and the common table expressions in scope. */
type Scope = ReadonlySet<string>;

interface Walk {
  readonly tables: ReadonlySet<string>;
  readonly used: Set<string>;
  readonly references: Map<Json, string>;
  nodes: number;
}

/** The tables that a checked statement reads. */
export interface Walked {
  /** The names of the tables, in lower case. */
  readonly tables: ReadonlySet<string>;
  /** The nodes of tables, with the names of their tables. Common table expressions are not included. */
  readonly references: ReadonlyMap<Json, string>;
}

/**
 * Checks one statement of a serialised syntax tree against the allow-lists.
 * @throws Refusal with the first part that is not allowed
 */
export function walkStatement(statement: unknown, tables: ReadonlySet<string>): Walked {
  const walk: Walk = { tables, used: new Set(), references: new Map(), nodes: 0 };
  if (!isObject(statement) || !isObject(statement["node"]))
    throw new Refusal("a form of statement that is not known here");
  members(walk, statement, STATEMENT, new Set(), 0);
  return { tables: walk.used, references: walk.references };
}

function check(walk: Walk, kind: Check, value: unknown, scope: Scope, depth: number): void {
  if (isEmpty(value)) return;
  const next = depth + 1;
  if (next > SQL_DEPTH_MAX) throw tooDeep();
  switch (kind) {
    case "plain":
      return checkPlain(value);
    case "null":
      throw new Refusal("a form of statement that reads the catalog or another version of a table");
    case "constant":
      return; // a literal has no further nodes
    case "type":
      return checkType(value);
    case "expression":
      return located(value, () => expression(walk, value, scope, next));
    case "expressions":
      return each(value, (item) => located(item, () => expression(walk, item, scope, next)));
    case "rows":
      return each(value, (row) => each(row, (item) => expression(walk, item, scope, next)));
    case "orders":
      return each(value, (item) => members(walk, item, ORDER, scope, next));
    case "orderModifier":
    case "modifiers":
      return each(Array.isArray(value) ? value : [value], (item) =>
        typed(walk, item, MODIFIERS, "modifier", scope, next),
      );
    case "table":
      return located(value, () => table(walk, value, scope, next));
    case "query":
      return query(walk, value, scope, next);
    case "statement":
      return members(walk, value, STATEMENT, scope, next);
    case "ctes":
      return; // checked in `query`, which needs the names
    case "sample":
      return members(walk, value, SAMPLE, scope, next);
    case "cases":
      return each(value, (item) => members(walk, item, CASE_CHECK, scope, next));
    case "pivots":
      return each(value, (item) => pivot(walk, item, scope, next));
    case "replacements":
      return each(value, (item) => members(walk, item, REPLACEMENT, scope, next));
    case "renames":
      return each(Array.isArray(value) ? value : [value], (item) => rename(walk, item, scope, next));
    case "function":
      return tableFunction(walk, value, scope, next);
  }
}

/** Adds the node's place to an error without a place. */
function located(node: unknown, look: () => void): void {
  try {
    look();
  } catch (error) {
    if (error instanceof Refusal || error instanceof SyntaxFault) error.at ??= locationOf(node);
    throw error;
  }
}

function members(walk: Walk, value: unknown, known: Members, scope: Scope, depth: number): void {
  if (!isObject(value)) throw new Refusal("a form of statement that is not known here");
  if (++walk.nodes > SQL_NODES_MAX) throw new Refusal(`more than ${SQL_NODES_MAX} parts`, "write a shorter statement");
  for (const [name, member] of Object.entries(value)) {
    const kind = known[name];
    if (kind !== undefined) check(walk, kind, member, scope, depth);
    else if (!isEmpty(member)) throw new Refusal(`a clause (${name}) that is not known here`);
  }
}

function typed(
  walk: Walk,
  value: unknown,
  table: Readonly<Record<string, Members>>,
  what: string,
  scope: Scope,
  depth: number,
): void {
  const type = isObject(value) ? String(value["type"]) : "";
  const known = Object.hasOwn(table, type) ? table[type] : undefined;
  if (known === undefined) throw new Refusal(`${what} ${type}`);
  members(walk, value, known, scope, depth);
}

function query(walk: Walk, value: unknown, outer: Scope, depth: number): void {
  if (!isObject(value)) throw new Refusal("a form of query that is not known here");
  const scope = commonTables(walk, value["cte_map"], outer, depth);
  if (value["type"] !== "RECURSIVE_CTE_NODE") return typed(walk, value, QUERIES, "query", scope, depth);
  // Only the recursive side may use its own name as a table. Elsewhere the name would be looked up in the catalog.
  const { right, ...rest } = value;
  typed(walk, rest, QUERIES, "query", scope, depth);
  check(walk, "query", right, new Set([...scope, String(value["cte_name"]).toLowerCase()]), depth);
}

/** Prefixes of the engine's own tables. */
const CATALOG_NAME = /^(duckdb|pg|sqlite|pragma|information_schema|system|temp)(_|$)/;

/** Each common table expression can use earlier ones, as in the engine. Any other name would be looked up in the catalog. */
function commonTables(walk: Walk, cteMap: unknown, outer: Scope, depth: number): Scope {
  const entries = isObject(cteMap) && Array.isArray(cteMap["map"]) ? (cteMap["map"] as unknown[]) : [];
  const scope = new Set(outer);
  for (const entry of entries) {
    if (!isObject(entry)) throw new Refusal("a WITH clause that is not known here");
    const name = String(entry["key"]).toLowerCase();
    if (!isPlainName(name)) {
      throw new Refusal(
        `the name "${name.slice(0, 64)}" for a common table expression`,
        "use letters, digits and _, and no prefix of a system catalog",
      );
    }
    members(walk, entry["value"], CTE, scope, depth + 1);
    scope.add(name);
  }
  return scope;
}

function table(walk: Walk, value: unknown, scope: Scope, depth: number): void {
  if (isObject(value) && value["type"] === "BASE_TABLE") baseTable(walk, value, scope);
  if (isObject(value) && value["type"] === "SHOW_REF") showRef(value);
  typed(walk, value, TABLES, "the table form", scope, depth);
}

function baseTable(walk: Walk, value: Json, scope: Scope): void {
  const name = String(value["table_name"]).toLowerCase();
  const schema = textOf(value["schema_name"]).toLowerCase();
  const catalog = textOf(value["catalog_name"]);
  if (catalog === "" && schema === "" && scope.has(name)) return;
  if (catalog === "" && (schema === "" || schema === "main") && walk.tables.has(name)) {
    walk.used.add(name);
    walk.references.set(value, name);
    return;
  }
  if (catalog === "" && schema === "" && isPlainName(name)) {
    const meant = didYouMean(name, [...walk.tables, ...scope]) ?? `the tables are ${[...walk.tables].join(", ")}`;
    throw new SyntaxFault(`there is no table "${name.slice(0, 64)}"; ${meant}`);
  }
  const shown = [catalog, schema, String(value["table_name"])].filter((part) => part !== "").join(".");
  throw new Refusal(`the table "${shown.slice(0, 200)}"`, `the tables are ${[...walk.tables].join(", ")}`);
}

/** Returns whether a table may have this name, and no table of the engine's catalog has it. */
function isPlainName(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !CATALOG_NAME.test(name);
}

function showRef(value: Json): void {
  const type = value["show_type"];
  if ((type === "DESCRIBE" || type === "SUMMARY") && isObject(value["query"])) return;
  throw new Refusal("SHOW", "use DESCRIBE or SUMMARIZE with a table or a query");
}

function expression(walk: Walk, value: unknown, scope: Scope, depth: number): void {
  const name = isObject(value) ? String(value["class"]) : "";
  const known = Object.hasOwn(EXPRESSIONS, name) ? EXPRESSIONS[name] : undefined;
  if (!isObject(value) || known === undefined) throw new Refusal(`an expression (${name})`);
  if (name === "FUNCTION" || name === "WINDOW") scalarFunction(value);
  if (name === "OPERATOR" && !OPERATORS.has(String(value["type"])))
    throw new Refusal(`the operator ${String(value["type"])}`);
  if (name === "COLLATE" && !/^[a-z_]+(\.[a-z_]+)*$/i.test(String(value["collation"])))
    throw new Refusal("this collation");
  members(walk, value, known, scope, depth);
}

function scalarFunction(value: Json): void {
  const name = String(value["function_name"]).toLowerCase();
  if (value["export_state"] === true) throw new Refusal("EXPORT_STATE");
  if (OWN_FUNCTIONS.has(name)) return ownFunction(value, name);
  if (!ALLOWED_FUNCTIONS.has(name)) throw refusedFunction(name);
  if (isQualified(value)) return chained(value, name);
  const counted = COUNTED_ARGUMENTS.get(name);
  if (counted !== undefined) countedArgument(value, name, counted);
  if (NAMED_AGGREGATES.has(name)) namedAggregate(value, name);
}

/** With a schema, the name could mean a function of the engine that is refused. */
function ownFunction(value: Json, name: string): void {
  if (value["catalog"] || value["schema"]) throw new Refusal(`${name} behind a dot`, `write ${name}(x, …)`);
}

const SYSTEM_SCHEMAS: ReadonlySet<string> = new Set(["pg_catalog", "information_schema", "system", "temp"]);

/**
 * `column.upper()` looks like a function of a schema. The column becomes the first argument, so the argument that must be a
 * literal would have another position.
 */
function chained(value: Json, name: string): void {
  if (value["catalog"] || SYSTEM_SCHEMAS.has(String(value["schema"]).toLowerCase()))
    throw new Refusal(`the function ${name} of another schema`, "leave the schema out");
  if (COUNTED_ARGUMENTS.has(name) || NAMED_AGGREGATES.has(name))
    throw new Refusal(`${name} behind a dot`, `write ${name}(x, …)`);
}

function isQualified(value: Json): boolean {
  const schema = textOf(value["schema"]);
  return Boolean(value["catalog"]) || (schema !== "" && schema !== "main");
}

function refusedFunction(name: string): Refusal | SyntaxFault {
  const shown = `the function ${name.slice(0, 64)}`;
  if (ALLOWED_TABLE_FUNCTIONS.has(name) || OWN_TABLE_FUNCTIONS.has(name))
    return new Refusal(`${shown} as a value`, `write it in FROM: FROM logs, ${name}(…)`);
  const reason = refusalReason(name);
  if (reason !== undefined) return new Refusal(shown, reason);
  const meant =
    didYouMean(name, [...ALLOWED_AGGREGATES, ...OWN_FUNCTIONS, ...ALLOWED_FUNCTIONS]) ??
    "GET /v1/query/schema lists the functions";
  return new SyntaxFault(`there is no function ${name.slice(0, 64)}; ${meant}`);
}

function countedArgument(value: Json, name: string, index: number): void {
  const count = literal(arrayOf(value["children"])[index]);
  if (typeof count === "number" && count >= 0 && count <= LITERAL_COUNT_MAX) return;
  throw new Refusal(
    `${name} with a count that is not a literal of at most ${LITERAL_COUNT_MAX}`,
    "write the count as a number",
  );
}

function namedAggregate(value: Json, name: string): void {
  const aggregate = literal(arrayOf(value["children"])[1]);
  if (typeof aggregate === "string" && ALLOWED_AGGREGATES.has(aggregate.toLowerCase())) return;
  throw new Refusal(
    `${name} with an aggregate that is not the literal name of an allowed one`,
    "write for example list_aggregate(x, 'sum')",
  );
}

function tableFunction(walk: Walk, value: unknown, scope: Scope, depth: number): void {
  if (!isObject(value) || value["class"] !== "FUNCTION") throw new Refusal("a table function in this form");
  const name = String(value["function_name"]).toLowerCase();
  if (isQualified(value))
    throw new Refusal(`the table function ${name.slice(0, 64)} of another schema`, "leave the schema out");
  if (OWN_TABLE_FUNCTIONS.has(name)) ownFunction(value, name);
  else if (!ALLOWED_TABLE_FUNCTIONS.has(name)) {
    const reason = refusalReason(name);
    throw new Refusal(
      `the table function ${name.slice(0, 64)}`,
      `${reason === undefined ? "" : `${reason}; `}allowed are ${[...ALLOWED_TABLE_FUNCTIONS, ...OWN_TABLE_FUNCTIONS].join(", ")}`,
    );
  }
  members(walk, value, EXPRESSIONS["FUNCTION"] ?? {}, scope, depth);
}

function pivot(walk: Walk, value: unknown, scope: Scope, depth: number): void {
  if (!isObject(value)) throw new Refusal("this form of PIVOT");
  const { entries, ...rest } = value;
  if (!isEmpty(value["pivot_enum"]))
    throw new Refusal("PIVOT without values", "list them: PIVOT … ON column IN ('a', 'b')");
  members(walk, rest, PIVOT_COLUMN, scope, depth);
  for (const entry of arrayOf(entries)) {
    if (!isObject(entry)) throw new Refusal("this form of PIVOT");
    const { values: _literals, ...others } = entry; // only literal values, see "constant"
    members(walk, others, PIVOT_ENTRY, scope, depth);
  }
}

function rename(walk: Walk, value: unknown, scope: Scope, depth: number): void {
  if (typeof value === "string") return;
  members(walk, value, RENAME, scope, depth);
}

function literal(value: unknown): unknown {
  if (!isObject(value) || value["class"] !== "CONSTANT" || !isObject(value["value"])) return undefined;
  return value["value"]["value"];
}

function checkPlain(value: unknown): void {
  if (!Array.isArray(value)) {
    if (isObject(value)) throw new Refusal("a form of statement that is not known here");
    return;
  }
  for (const item of value as unknown[]) {
    // named_param_map has { key, value } pairs of scalars
    if (isObject(item)) Object.values(item).forEach(checkPlain);
    else checkPlain(item);
  }
}

function each(value: unknown, visit: (item: unknown) => void): void {
  if (!Array.isArray(value)) throw new Refusal("a form of statement that is not known here");
  for (const item of value as unknown[]) visit(item);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}
