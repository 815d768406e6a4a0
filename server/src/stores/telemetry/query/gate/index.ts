import { SQL_BYTES_MAX } from "#kernel/limits.ts";
import { didYouMean } from "#kernel/nearest.ts";
import { ADVICE, keepNumbers, mendArrows } from "./arrows.ts";
import { isObject, Refusal, SyntaxFault, type Json } from "./refusal.ts";
import { withoutMarks, withPivotMarks, type MarkedPivots } from "./pivot.ts";
import { shownTables } from "./show.ts";
import { walkStatement } from "./walk.ts";

export { PIVOT_MARK, withoutMarks } from "./pivot.ts";
export { explained } from "./show.ts";
export { isCompared, originOf } from "./locate.ts";
export { isObject, Refusal, SyntaxFault, textOf, type Json } from "./refusal.ts";

/**
 * Runs one of our statements with one text parameter, and returns its single value. The child implements it with an instance
 * without data.
 */
export type Evaluate = (sql: string, parameter: string) => Promise<string>;

export interface Admitted {
  /** The statement, rendered from the checked tree. Only this may run. */
  readonly sql: string;
  /** The syntax tree of `sql`, as `json_serialize_sql` writes it. */
  readonly tree: string;
  /** The tree that `sql` was rendered from. Its places are those of the sent statement. */
  readonly source: string;
  /** The places of the marks for values of PIVOTs, see `withPivotMarks`. */
  readonly pivots?: readonly number[];
  /** Tables that it reads. */
  readonly tables: ReadonlySet<string>;
  /** Advice to add if the statement fails. */
  readonly advice: string | undefined;
}

/**
 * Parses a statement without evaluating anything in it, corrects the precedence of `->` and `->>` (see `arrows.ts`), checks
 * its tree against the allow-lists, and renders it. The rendered text is parsed and checked again, so that an error in the
 * renderer can't let anything through.
 * @throws SyntaxFault for text that does not parse, Refusal for a part that is not allowed
 */
export async function admit(sql: string, tables: ReadonlySet<string>, evaluate: Evaluate): Promise<Admitted> {
  if (Buffer.byteLength(sql) > SQL_BYTES_MAX)
    throw new Refusal(`more than ${SQL_BYTES_MAX} bytes`, "send a shorter statement, and values as parameters");
  if (sql.includes("\0")) throw new SyntaxFault("the statement contains a NUL character");
  const written = sql.toWellFormed();
  const serialized = await evaluate("SELECT json_serialize_sql($1::VARCHAR)", written);
  const marked = isUnknown(serialized) && /\bpivot\b/i.test(written) ? withPivotMarks(written) : undefined;
  if (marked !== undefined) return admitPivots(marked, tables, evaluate);
  const shown = shownTables(serialized, tables);
  const parsed = shown === undefined ? serialized : await evaluate("SELECT json_serialize_sql($1::VARCHAR)", shown);
  onlyStatement(JSON.parse(parsed)); // so that a syntax error is reported first
  const { tree, advice } = written.includes("->") ? mendArrows(parsed, written) : { tree: parsed };
  const used = walkStatement(onlyStatement(JSON.parse(tree)), tables).tables;
  return { ...(await render(tree, tables, evaluate)), source: tree, tables: used, advice };
}

/** Returns whether the parser can't write this kind of statement as a tree, or not with parameters. */
function isUnknown(serialized: string): boolean {
  return serialized.startsWith('{"error":true') && /"not implemented"|pivot elements extracted/.test(serialized);
}

/**
 * Admits a statement with PIVOTs whose values are found when it runs.
 * @throws SyntaxFault, Refusal; their places are those of the sent statement
 */
async function admitPivots(marked: MarkedPivots, tables: ReadonlySet<string>, evaluate: Evaluate): Promise<Admitted> {
  try {
    return { ...(await admit(marked.sql, tables, evaluate)), pivots: marked.places };
  } catch (error) {
    if ((error instanceof Refusal || error instanceof SyntaxFault) && error.at !== undefined)
      error.at = withoutMarks(error.at, marked.places);
    throw error;
  }
}

/**
 * Renders a tree to SQL, and checks the rendered text again.
 * @throws Refusal for a part that is not allowed
 */
export async function render(
  tree: string,
  tables: ReadonlySet<string>,
  evaluate: Evaluate,
): Promise<Pick<Admitted, "sql" | "tree">> {
  const sql = await evaluate("SELECT json_deserialize_sql($1::JSON)", tree);
  const rendered = await evaluate("SELECT json_serialize_sql($1::VARCHAR)", sql);
  walkStatement(onlyStatement(JSON.parse(rendered)), tables);
  return { sql, tree: rendered };
}

/** A checked tree that can be read and changed. */
export interface Tree {
  readonly statement: Json;
  /** The nodes of tables, with the names of their tables. */
  readonly references: ReadonlyMap<Json, string>;
  /** Returns the tree with all changes, for `render`. */
  readonly write: () => string;
}

/** Reads the tree of an admitted statement. Keeps the text of numbers that JavaScript would write differently. */
export function readTree({ tree }: Pick<Admitted, "tree">, tables: ReadonlySet<string>): Tree {
  const plain = onlyStatement(JSON.parse(tree));
  const { references } = walkStatement(plain, tables);
  const root = JSON.parse(tree, keepNumbers) as { statements: [Json] };
  const kept = new Map<Json, string>();
  eachPair(plain, root.statements[0], (node, twin) => {
    const table = isObject(node) ? references.get(node) : undefined;
    if (table !== undefined && isObject(twin)) kept.set(twin, table);
  });
  return { statement: root.statements[0], references: kept, write: () => JSON.stringify(root) };
}

/** Returns a copy of a part of the tree. */
export function copyOf(node: Json): Json {
  return JSON.parse(JSON.stringify(node), keepNumbers) as Json;
}

function eachPair(a: unknown, b: unknown, visit: (a: unknown, b: unknown) => void): void {
  if (typeof a !== "object" || a === null) return;
  visit(a, b);
  for (const [key, member] of Object.entries(a)) eachPair(member, (b as Json)[key], visit);
}

function onlyStatement(parsed: unknown): unknown {
  if (!isObject(parsed)) throw new SyntaxFault("the statement could not be parsed");
  if (parsed["error"] === true)
    throw parseFault(parsed["error_type"], String(parsed["error_message"]), parsed["position"]);
  const statements: readonly unknown[] = Array.isArray(parsed["statements"]) ? (parsed["statements"] as unknown[]) : [];
  if (statements.length === 0) throw new SyntaxFault("the statement is empty");
  if (statements.length > 1) throw new Refusal("more than one statement", "send one at a time");
  return statements[0];
}

const KEYWORDS =
  "SELECT FROM WHERE GROUP ORDER HAVING LIMIT OFFSET UNION JOIN LEFT INNER WITH DISTINCT BETWEEN AND CASE WHEN THEN ELSE END DESCRIBE SUMMARIZE VALUES EXPLAIN PIVOT UNPIVOT QUALIFY USING".split(
    " ",
  );

/** Returns the keyword that was probably meant where the parser failed. */
function keywordMeant(message: string): string | undefined {
  const word = /at or near "(\w+)"/.exec(message)?.[1];
  return word === undefined || KEYWORDS.includes(word.toUpperCase()) ? undefined : didYouMean(word, KEYWORDS);
}

function parseFault(type: unknown, message: string, position: unknown): Error {
  if (type === "not implemented") {
    const hint =
      "only one reading statement is allowed: SELECT, WITH, FROM, VALUES, EXPLAIN, DESCRIBE, SUMMARIZE, SHOW TABLES, PIVOT and UNPIVOT";
    return new Refusal("a kind of statement that is not only for reading", hint);
  }
  const at = typeof position === "string" && /^\d+$/.test(position) ? Number(position) : undefined;
  const advice = message.includes('near "->') ? ADVICE : keywordMeant(message);
  return new SyntaxFault(`${message}${advice === undefined ? "" : `; ${advice}`}`, at);
}
