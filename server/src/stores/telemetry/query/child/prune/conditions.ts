import { isObject, type Json } from "../../gate/index.ts";
import { childrenOf, eachSelect, listOf, nameOf, namesOf } from "../tree.ts";

/** A condition on the times of a table's rows. `value` is an index in `TimeConditions.values`. */
export type Condition =
  | { readonly kind: "any" }
  | { readonly kind: "all" | "either"; readonly parts: readonly Condition[] }
  | { readonly kind: "bound"; readonly sign: ">" | ">=" | "<" | "<=" | "="; readonly value: number };

export interface TimeConditions {
  /** The condition of each table. A row that does not meet it can't be in the result. */
  readonly tables: ReadonlyMap<string, Condition>;
  /** The expressions without columns that are compared with `timestamp`. */
  readonly values: readonly Json[];
}

const ANY: Condition = { kind: "any" };
const VALUES_MAX = 64;
const COLUMN = "timestamp";

/**
 * Finds the statement's conditions on `timestamp` for each table. Reads only the WHERE of a SELECT with the table in its own
 * FROM, and only where removing the other rows can't change the result of the joins. If one use of a table has no condition,
 * the whole table is read.
 */
export function timeConditions(statement: Json, references: ReadonlyMap<Json, string>): TimeConditions {
  const reader = new ConditionReader(references, new Keywords(statement));
  eachSelect(statement, (select) => {
    reader.select(select);
  });
  return { tables: reader.tables(), values: reader.values };
}

/** A part of a FROM. */
export interface Source {
  readonly node: Json;
  /** The name that qualifies its columns, in lower case. */
  readonly name: string;
  /** True if rows that fail the WHERE can be removed before the joins. */
  readonly separable: boolean;
}

/** Lists the parts of a FROM in order. `column` is the column of the condition. */
export function sourcesOf(from: unknown, column: string, separable = true): Source[] {
  if (!isObject(from)) return [];
  if (from["type"] !== "JOIN") {
    const plain = !from["sample"] && listOf(from["column_name_alias"]).length === 0;
    return [{ node: from, name: nameOf(from), separable: separable && plain }];
  }
  const kind = from["ref_type"];
  const sides = from["join_type"];
  const plain = kind === "REGULAR" || kind === "CROSS";
  const outer = sides === "INNER" || sides === "LEFT" || sides === "RIGHT" || sides === "FULL";
  const apart = separable && !merges(from, column);
  // SEMI and ANTI show only the left side. ASOF would find another row on the right. POSITIONAL counts rows.
  const left = apart && (plain || kind === "ASOF") && (outer || sides === "SEMI" || sides === "ANTI");
  const right = apart && plain && outer;
  return [...sourcesOf(from["left"], column, left), ...sourcesOf(from["right"], column, right)];
}

/** Returns whether USING merges the column. The merged column belongs to neither table. */
function merges(join: Json, column: string): boolean {
  return listOf(join["using_columns"]).some((each) => String(each).toLowerCase() === column);
}

class ConditionReader {
  readonly values: Json[] = [];
  readonly #references: ReadonlyMap<Json, string>;
  readonly #keywords: Keywords;
  readonly #found = new Map<Json, Condition>();

  constructor(references: ReadonlyMap<Json, string>, keywords: Keywords) {
    this.#references = references;
    this.#keywords = keywords;
  }

  tables(): ReadonlyMap<string, Condition> {
    const byTable = Map.groupBy(this.#references.keys(), (node) => this.#references.get(node) ?? "");
    return new Map(
      [...byTable].map(([table, nodes]) => {
        const parts = nodes.map((node) => this.#found.get(node) ?? ANY);
        return [table, { kind: "either", parts }];
      }),
    );
  }

  select(select: Json): void {
    if (select["sample"]) return; // a sample is taken before WHERE
    const sources = sourcesOf(select["from_table"], COLUMN);
    for (const { node, name, separable } of sources) {
      if (separable && isAlone(name, sources) && this.#references.has(node))
        this.#found.set(node, this.#read(select["where_clause"], name));
    }
  }

  #read(condition: unknown, table: string): Condition {
    if (!isObject(condition)) return ANY;
    switch (condition["class"]) {
      case "CONJUNCTION": {
        const parts = childrenOf(condition).map((part) => this.#read(part, table));
        return { kind: condition["type"] === "CONJUNCTION_AND" ? "all" : "either", parts };
      }
      case "COMPARISON":
        return this.#comparison(condition, table);
      case "BETWEEN": {
        if (!isTime(condition["input"], table)) return ANY;
        return { kind: "all", parts: [this.#bound(">=", condition["lower"]), this.#bound("<=", condition["upper"])] };
      }
      case "OPERATOR": {
        const [input, ...list] = childrenOf(condition);
        if (condition["type"] !== "COMPARE_IN" || !isTime(input, table)) return ANY;
        return { kind: "either", parts: list.map((value) => this.#bound("=", value)) };
      }
      default:
        return ANY;
    }
  }

  #comparison(comparison: Json, table: string): Condition {
    const sign = SIGNS.get(String(comparison["type"]));
    if (sign === undefined) return ANY;
    if (isTime(comparison["left"], table)) return this.#bound(sign, comparison["right"]);
    if (isTime(comparison["right"], table)) return this.#bound(FLIPPED[sign], comparison["left"]);
    return ANY;
  }

  #bound(sign: Sign, value: unknown): Condition {
    if (this.values.length >= VALUES_MAX || !this.#isFixed(value)) return ANY;
    this.values.push(value as Json);
    return { kind: "bound", sign, value: this.values.length - 1 };
  }

  /** Returns whether the value is the same for all rows and cheap to compute. */
  #isFixed(value: unknown): boolean {
    if (!isObject(value)) return false;
    switch (value["class"]) {
      case "CONSTANT":
      case "PARAMETER":
        return true;
      case "CAST":
        return this.#isFixed(value["child"]);
      case "COLUMN_REF":
        return this.#keywords.means(value);
      case "FUNCTION":
        return isPlainCall(value) && childrenOf(value).every((child) => this.#isFixed(child));
      default:
        return false;
    }
  }
}

type Sign = ">" | ">=" | "<" | "<=" | "=";

const SIGNS: ReadonlyMap<string, Sign> = new Map([
  ["COMPARE_GREATERTHAN", ">"],
  ["COMPARE_GREATERTHANOREQUALTO", ">="],
  ["COMPARE_LESSTHAN", "<"],
  ["COMPARE_LESSTHANOREQUALTO", "<="],
  ["COMPARE_EQUAL", "="],
]);
const FLIPPED: Readonly<Record<Sign, Sign>> = { ">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=" };

/** Functions that may compute a time. All are fast and return the same value for every row. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `+ - * / abs trunc floor greatest least now get_current_timestamp transaction_timestamp today current_date date_trunc datetrunc time_bucket date_add last_day
  to_microseconds to_milliseconds to_seconds to_minutes to_hours to_days to_weeks to_months to_quarters to_years to_timestamp
  make_date make_timestamp make_timestamp_ms make_timestamptz epoch_ms strptime try_strptime timezone`.split(/\s+/),
);

function isPlainCall(call: Json): boolean {
  const { filter, distinct, order_bys: orders } = call;
  if (!FUNCTIONS.has(String(call["function_name"]).toLowerCase()) || filter || distinct || call["catalog"])
    return false;
  if (call["schema"] && call["schema"] !== "main") return false;
  return !isObject(orders) || listOf(orders["orders"]).length === 0;
}

function isTime(value: unknown, table: string): boolean {
  return isColumn(value, COLUMN, table);
}

/** Returns whether the expression is the column of the table. */
export function isColumn(value: unknown, column: string, table: string): boolean {
  if (!isObject(value) || value["class"] !== "COLUMN_REF") return false;
  const names = namesOf(value);
  if (names.at(-1) !== column) return false;
  // An unqualified name means this table: if another part of FROM had the column, the statement would fail as ambiguous.
  return names.length === 1 || (names.length === 2 && names[0] === table);
}

/** Returns whether only one part of the FROM has this name. */
export function isAlone(name: string, sources: readonly Source[]): boolean {
  return sources.filter((each) => each.name === name).length === 1;
}

/** `current_timestamp` looks like a column. It is one if the statement gives something this name. */
class Keywords {
  readonly #statement: Json;
  readonly #known = new Map<string, boolean>();

  constructor(statement: Json) {
    this.#statement = statement;
  }

  means(column: Json): boolean {
    const [name = "", ...rest] = namesOf(column);
    if (rest.length > 0 || (name !== "current_timestamp" && name !== "current_date")) return false;
    const known = this.#known.get(name) ?? !givesName(this.#statement, name);
    this.#known.set(name, known);
    return known;
  }
}

/** Returns whether the tree has the name anywhere except in references to columns. */
function givesName(value: unknown, name: string): boolean {
  if (typeof value === "string") return value.toLowerCase() === name;
  if (Array.isArray(value)) return value.some((item) => givesName(item, name));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, member]) => key !== "column_names" && givesName(member, name));
}
