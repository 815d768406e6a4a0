import { isPromotable, promotedColumn } from "../../columns.ts";
import { isObject, textOf, type Evaluate, type Json, type Tree } from "../gate/index.ts";
import { promotedView } from "./views.ts";
import { canBeNamed, keepNames, unnamedItems } from "./item-names.ts";
import { childrenOf, eachSelect, listOf, nameOf, namesOf, someNode } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** A call that reads an attribute as text, and its place in the tree. */
interface Call {
  readonly key: string;
  readonly source: Mutable;
  readonly node: Json;
  readonly holder: Mutable;
  readonly member: string;
}

/** A SELECT whose attributes can be read from columns. */
interface Candidate {
  readonly select: Json;
  readonly calls: readonly Call[];
}

const COLUMN = "attributes";
/** The prefix of columns that statements must not see. */
const HIDDEN = promotedColumn("");
const READERS: ReadonlySet<string> = new Set(["->>", "json_extract_string"]);
const CLAUSES = ["select_list", "where_clause", "group_expressions", "having", "qualify", "modifiers"] as const;

/**
 * Rewrites `attributes->>'key'` of a statement to the column of a promoted attribute. A SELECT that could show the
 * difference (`COLUMNS(*)`, a table as a value, NATURAL …) is not changed. It is slower, with the same answer.
 */
export class PromotedAttributes {
  readonly #tree: Tree;
  readonly #candidates: readonly Candidate[];

  constructor(tree: Tree, tables: ReadonlySet<string>) {
    this.#tree = tree;
    const kept = insideOrderedSets(tree.statement);
    const found: Candidate[] = [];
    eachSelect(tree.statement, (select) => {
      const calls = kept.has(select) ? [] : callsOf(select, tree.references, tables);
      if (calls.length > 0) found.push({ select, calls });
    });
    this.#candidates = found;
  }

  /** Returns the attributes that could be read from columns, by table. */
  keys(): Map<string, string[]> {
    const byTable = Map.groupBy(
      this.#candidates.flatMap(({ calls }) => calls),
      ({ source }) => this.#tableOf(source),
    );
    return new Map([...byTable].map(([table, calls]) => [table, [...new Set(calls.map(({ key }) => key))]]));
  }

  /**
   * Changes the tree to read the attributes in `columns` from the view that has them.
   * @returns the tables that are read from that view; none when nothing was changed
   */
  async apply(columns: ReadonlyMap<string, readonly string[]>, evaluate: Evaluate): Promise<ReadonlySet<string>> {
    const has = ({ source, key }: Call): boolean => columns.get(this.#tableOf(source))?.includes(key) === true;
    const chosen = this.#candidates
      .map(({ select, calls }) => ({ select, calls: calls.filter(has) }))
      .filter(({ calls }) => calls.length > 0);
    if (chosen.length === 0) return new Set();
    const names = unnamedItems(this.#tree.statement, isReader);
    if (!canBeNamed(names)) return new Set();
    const tables = new Set(chosen.flatMap(({ calls }) => calls.map(({ source }) => this.#tableOf(source))));
    for (const { select, calls } of chosen) this.#rewrite(select, calls, columns);
    await keepNames(names, evaluate);
    return tables;
  }

  #tableOf(source: Json): string {
    return this.#tree.references.get(source) ?? "";
  }

  #rewrite(select: Json, calls: readonly Call[], columns: ReadonlyMap<string, readonly string[]>): void {
    const shown = new Map<string, string[]>();
    for (const { source, key, node, holder, member } of calls) {
      const name = String(source["alias"] || source["table_name"]);
      holder[member] = {
        class: "COLUMN_REF",
        type: "COLUMN_REF",
        alias: node["alias"],
        query_location: node["query_location"],
        column_names: [name, promotedColumn(key)],
      };
      shown.set(name.toLowerCase(), (columns.get(this.#tableOf(source)) ?? []).map(promotedColumn));
    }
    for (const { source } of calls) {
      const table = this.#tableOf(source);
      source["alias"] ||= source["table_name"];
      source["table_name"] = promotedView(table);
      source["schema_name"] = "";
    }
    for (const item of listOf(select["select_list"])) if (isStar(item)) hide(item as Mutable, shown);
  }
}

/** Excludes the columns from `*` and `t.*`. */
function hide(star: Mutable, shown: ReadonlyMap<string, readonly string[]>): void {
  const of = textOf(star["relation_name"]).toLowerCase();
  const hidden = of === "" ? [...shown.values()].flat() : (shown.get(of) ?? []);
  star["exclude_list"] = [...listOf(star["exclude_list"]), ...new Set(hidden)];
}

function callsOf(select: Json, references: ReadonlyMap<Json, string>, tables: ReadonlySet<string>): readonly Call[] {
  const sources = plainSources(select["from_table"]);
  if (sources === undefined) return [];
  const names = sources.map(nameOf);
  const usable = sources.filter((source, i) => {
    const isTable = tables.has(references.get(source) ?? "");
    const isOnlyOne = names.indexOf(names[i] ?? "") === names.lastIndexOf(names[i] ?? "");
    return isTable && isOnlyOne && listOf(source["column_name_alias"]).length === 0;
  });
  if (usable.length === 0 || namesTables(select, new Set(usable.map(nameOf)))) return [];
  // An unqualified `attributes` is known only when FROM has one usable table and no other parts, whose columns are unknown
  // here.
  const only = sources.every((source) => references.has(source)) && usable.length === 1 ? usable[0] : undefined;
  const finder = new CallFinder(select, usable, only);
  return finder.isSafe() ? finder.calls : [];
}

/** Returns the parts of a FROM. Undefined if the join depends on columns that two parts have in common. */
function plainSources(from: unknown): Json[] | undefined {
  if (!isObject(from)) return undefined;
  if (from["type"] !== "JOIN") return [from];
  const isPlain =
    /^(REGULAR|CROSS|ASOF)$/.test(String(from["ref_type"])) &&
    /^(INNER|LEFT|RIGHT|FULL)$/.test(String(from["join_type"]));
  const [left, right] = [plainSources(from["left"]), plainSources(from["right"])];
  return isPlain && left !== undefined && right !== undefined ? [...left, ...right] : undefined;
}

/** Returns whether a table is used as a value, has a longer name than `table.column`, or a name has an unusual meaning. */
function namesTables(select: Json, tables: ReadonlySet<string>): boolean {
  const isNamed = (item: unknown): boolean => isObject(item) && String(item["alias"]).toLowerCase() === COLUMN;
  if (listOf(select["select_list"]).some(isNamed)) return true;
  return someNode(select, (node) => {
    if (node["class"] !== "COLUMN_REF") return false;
    const names = namesOf(node);
    const isWhole = names.length === 1 && tables.has(names[0] ?? "");
    return isWhole || names.length > 2 || names[0] === "main" || names.at(-1)?.startsWith(HIDDEN) === true;
  });
}

/** Searches the expressions of one SELECT, but not nested SELECTs. */
class CallFinder {
  readonly calls: Call[] = [];
  readonly #select: Json;
  readonly #sources: ReadonlyMap<string, Json>;
  /** The table that an unqualified `attributes` means. */
  #only: Json | undefined;
  readonly #stars: ReadonlySet<unknown>;
  /** True if a star does more than show columns in the select list. */
  #expands = false;
  /** True if `attributes` is also read in other ways. */
  #readsWhole = false;

  constructor(select: Json, usable: readonly Json[], only: Json | undefined) {
    this.#select = select;
    this.#sources = new Map(usable.map((source) => [nameOf(source), source]));
    this.#only = only;
    this.#stars = new Set(listOf(select["select_list"]).filter(isStar));
    for (const clause of CLAUSES) this.#visit(select, clause);
    this.#only = undefined; // an ON clause sees only some of the tables
    this.#joins(select["from_table"]);
  }

  isSafe(): boolean {
    const { group_expressions: groups, aggregate_handling: handling } = this.#select;
    // With `GROUP BY attributes`, the list may have expressions over it, but not other columns of the table.
    const isGrouping = listOf(groups).length > 0 || handling === "FORCE_AGGREGATES";
    return !this.#expands && !(isGrouping && this.#readsWhole);
  }

  #joins(from: unknown): void {
    if (!isObject(from) || from["type"] !== "JOIN") return;
    this.#visit(from, "condition");
    this.#joins(from["left"]);
    this.#joins(from["right"]);
  }

  #visit(holder: Mutable, member: string): void {
    const node = holder[member];
    if (Array.isArray(node)) {
      for (const index of node.keys()) this.#visit(node as unknown as Mutable, String(index));
      return;
    }
    if (!isObject(node)) return;
    const call = this.#read(node);
    if (call !== undefined) {
      this.calls.push({ ...call, node, holder, member });
      return;
    }
    switch (node["class"]) {
      case "CONSTANT":
        return;
      case "STAR":
        this.#expands ||= !this.#stars.has(node);
        this.#readsWhole ||= someNode(node, isAttributes);
        return;
      case "LAMBDA": // a lambda's parameters may have any name
        this.#readsWhole ||= someNode(node, isAttributes);
        return;
      case "SUBQUERY":
        this.#readsWhole ||= someNode(node["subquery"], isAttributes);
        return this.#visit(node, "child");
      case "COLUMN_REF":
        this.#readsWhole ||= isAttributes(node);
        return;
      default:
        for (const key of Object.keys(node)) this.#visit(node, key);
    }
  }

  #read(node: Json): Pick<Call, "source" | "key"> | undefined {
    if (!isReader(node) || node["schema"] || node["catalog"]) return undefined;
    const [column, key, ...more] = childrenOf(node);
    if (!isObject(column) || !isAttributes(column) || more.length > 0) return undefined;
    const names = namesOf(column);
    const source = names.length === 1 ? this.#only : this.#sources.get(names[0] ?? "");
    const text = literalOf(key);
    return source === undefined || text === undefined || !isPromotable(text)
      ? undefined
      : { source: source, key: text };
  }
}

function isReader(node: Json): boolean {
  return node["class"] === "FUNCTION" && READERS.has(String(node["function_name"]).toLowerCase());
}

function isAttributes(node: Json): boolean {
  return node["class"] === "COLUMN_REF" && namesOf(node).at(-1) === COLUMN;
}

function isStar(item: unknown): boolean {
  return isObject(item) && item["class"] === "STAR" && item["columns"] !== true && !item["expr"];
}

function literalOf(node: unknown): string | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT" || !isObject(node["value"])) return undefined;
  const { type, value } = node["value"];
  return isObject(type) && type["id"] === "VARCHAR" && typeof value === "string" ? value : undefined;
}

/**
 * Returns the SELECTs below a UNION whose ORDER BY reads attributes. It finds them in the list by their text, so they must
 * not change.
 */
function insideOrderedSets(statement: Json): ReadonlySet<Json> {
  const kept = new Set<Json>();
  const keep = (query: unknown): void => {
    if (!isObject(query)) return;
    kept.add(query);
    keep(query["left"]);
    keep(query["right"]);
  };
  someNode(statement, (node) => {
    if (isObject(node["left"]) && node["type"] !== "SELECT_NODE" && someNode(node["modifiers"], isReader)) keep(node);
    return false;
  });
  return kept;
}
