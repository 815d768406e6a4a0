import { SQL_DEPTH_MAX } from "../settings.ts";
import { mendEmptyKeys } from "./empty-keys.ts";
import { isObject, SyntaxFault, tooDeep } from "./refusal.ts";
import {
  childrenOf,
  isArrow,
  negatedWithin,
  operatorOf,
  RANK,
  tokenOf,
  type Node,
  type Operator,
} from "./operators.ts";
import { Tokens, type Token } from "./tokens.ts";

/** Functions whose arguments may be `x -> …`. */
const LAMBDA_FUNCTIONS: ReadonlySet<string> = new Set(
  `list_transform list_apply list_filter list_reduce array_transform array_apply array_filter array_reduce apply filter reduce`.split(
    /\s+/,
  ),
);

const NEGATED: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: "COMPARE_NOTEQUAL",
  COMPARE_NOTEQUAL: "COMPARE_EQUAL",
  COMPARE_LESSTHAN: "COMPARE_GREATERTHANOREQUALTO",
  COMPARE_GREATERTHANOREQUALTO: "COMPARE_LESSTHAN",
  COMPARE_GREATERTHAN: "COMPARE_LESSTHANOREQUALTO",
  COMPARE_LESSTHANOREQUALTO: "COMPARE_GREATERTHAN",
  COMPARE_DISTINCT_FROM: "COMPARE_NOT_DISTINCT_FROM",
  COMPARE_NOT_DISTINCT_FROM: "COMPARE_DISTINCT_FROM",
  COMPARE_IN: "COMPARE_NOT_IN",
  COMPARE_NOT_IN: "COMPARE_IN",
};

/**
 * DuckDB reads `a AND b->>'k' = 'v'` as `((a AND b)->>'k') = 'v'`, and `b->'k' = 'v'` as `b->('k' = 'v')`. Nobody
 * intends either form, because a condition is neither JSON nor a key. This gives `->` and `->>` their precedence of
 * PostgreSQL: higher than AND, OR, NOT, IS, comparisons, BETWEEN, IN and LIKE. It only moves nodes. The parentheses in
 * the statement stay valid.
 * @param tree the result of `json_serialize_sql` for `sql`
 * @throws SyntaxFault where a condition stays on the left of an arrow, Refusal for a tree that is too deep
 */
export function mendArrows(tree: string, sql: string): Mended {
  assertDepth(JSON.parse(tree), DEPTH_MAX);
  const root = JSON.parse(tree, keepNumbers) as unknown;
  // The parser replaces these characters by one byte each, so its offsets are those of the replaced text.
  const mender = new Mender(new Tokens(UNUSUAL_SPACE.test(sql) ? "" : sql));
  mender.visit(root);
  mendEmptyKeys(root, (node) => mender.keeps(node));
  return { tree: JSON.stringify(root), advice: mender.doubtful ? ADVICE : undefined };
}

export interface Mended {
  /** The changed tree. It must be checked like any other tree. */
  readonly tree: string;
  /** Advice if the statement fails: an operator beside an arrow may or may not belong to it. */
  readonly advice: string | undefined;
}

/** The depth of nested lists and objects. A condition with arrows is deeper before it is corrected. */
const DEPTH_MAX = 8 * SQL_DEPTH_MAX;
const UNUSUAL_SPACE = /[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u3000\ufeff]/;
export const ADVICE =
  "-> and ->> may not apply to the intended operand here: put parentheses around them, as in (attributes->>'key')";

function assertDepth(value: unknown, levels: number): void {
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) throw tooDeep();
  for (const member of Object.values(value)) assertDepth(member, levels - 1);
}

// ES2026 and Node 22 have this function, but the type library does not have it yet.
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Keeps the text of a number that JavaScript would write differently. */
export function keepNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJSON(context.source);
}

const SIMPLE_KEYS: ReadonlySet<string> = new Set(["CONSTANT", "COLUMN_REF", "PARAMETER"]);

class Mender {
  doubtful = false;
  readonly #tokens: Tokens;
  /** Lambdas, and the nodes that the parser put around them. Their intended meaning is unknown. */
  readonly #kept = new Set<unknown>();
  /** Nodes that replaced an arrow, or a node that contains one. */
  readonly #moved = new Set<unknown>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** Returns whether the node is a lambda. */
  keeps(node: unknown): boolean {
    return this.#kept.has(node);
  }

  /**
   * Corrects everything below the node, then the node itself.
   * @returns the node that replaces it
   */
  visit(value: unknown): unknown {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) value[i] = this.visit(item);
      return value;
    }
    if (!isObject(value) || value["class"] === "CONSTANT") return value;
    const node = value as Node;
    if (LAMBDA_FUNCTIONS.has(String(node["function_name"]).toLowerCase())) this.#keepLambdas(node);
    const inner = negatedWithin(node, this.#tokens);
    if (inner !== undefined) this.#kept.add(inner); // corrected together with its NOT
    for (const [key, member] of Object.entries(node)) {
      if (typeof member !== "object" || member === null) continue;
      const mended = this.visit(member);
      if (mended !== member) node[key] = mended;
    }
    const mended = this.#kept.has(node) ? node : this.#settle(node);
    if (isArrow(node) && this.#isDoubtful(node)) this.doubtful = true;
    return mended;
  }

  #keepLambdas(call: Node): void {
    for (const argument of childrenOf(call)) {
      const spine: unknown[] = [];
      for (let each: unknown = argument; isObject(each); each = operatorOf(each, this.#tokens)?.left?.get()) {
        spine.push(each);
        if (each["class"] === "LAMBDA" && isLambdaParameter(each["lhs"]))
          for (const node of spine) this.#kept.add(node);
      }
    }
  }

  /**
   * Returns whether the arrow's meaning is unclear, for example `'x' || a->>'k'`, `a->>'k'::INT`, or `x -> x->>'k' = 'v'` in
   * a call.
   */
  #isDoubtful(arrow: Node): boolean {
    const operator = operatorOf(arrow, this.#tokens);
    const [left, right] = [operator?.left?.get(), operator?.right?.get()];
    if (this.#kept.has(arrow)) return arrow["class"] !== "LAMBDA";
    const isOperator = (value: unknown): boolean => isObject(value) && value["is_operator"] === true && !isArrow(value);
    return isOperator(left) || (isObject(right) && !SIMPLE_KEYS.has(String(right["class"])));
  }

  #settle(node: Node): Node {
    if (node["class"] === "LAMBDA") {
      const arrow = tokenOf(node, this.#tokens);
      if (arrow?.text.startsWith("->") !== true) return node; // `lambda x: …`
      return this.#moveOut(node, node["expr"], arrow);
    }
    return this.#sink(node);
  }

  /**
   * `a -> ('k' = 'v' AND b)` becomes `(a -> 'k') = 'v' AND b`. The arrow keeps only its key, and the other operators move
   * around it.
   */
  #moveOut(arrow: Node, taken: unknown, token: Token): Node {
    const operator = operatorOf(taken, this.#tokens);
    if (operator?.left === undefined || operator.rank >= RANK.other || operator.token?.group !== token.group) {
      arrow["expr"] = taken;
      return this.#sink(arrow);
    }
    swapAliases(arrow, taken as Node);
    operator.left.set(this.#moveOut(arrow, operator.left.get(), token));
    this.#moved.add(taken);
    return this.#sink(taken as Node);
  }

  /** `(a AND b)->>'k'` becomes `a AND (b->>'k')`. Nodes that contain the arrow move too. */
  #sink(node: Node): Node {
    const below = operatorOf(node, this.#tokens)?.left?.get();
    if (!isObject(below)) return node;
    const lower = operatorOf(below, this.#tokens);
    if (lower === undefined || (!isArrow(node) && !this.#moved.has(below))) return node;
    if (isNegatedInPlace(node, this.#tokens)) return this.#sinkNegated(node, below);
    const operator = operatorOf(node, this.#tokens);
    if (operator?.left === undefined) return node;
    if (lower.rank >= operator.rank) {
      // NOT x = y is one node, but its NOT must stay outside
      const isOutside = operator.rank === RANK.is && isNegatedInPlace(below, this.#tokens);
      if (isOutside && !this.#isEnclosed(operator, lower)) throw unclear(operator.token);
      return node;
    }
    if (lower.right === undefined || this.#isEnclosed(operator, lower)) {
      if (isArrow(node)) throw unclear(operator.token);
      return node;
    }
    operator.left.set(lower.right.get());
    lower.right.set(this.#sink(node));
    swapAliases(node, below);
    this.#moved.add(below);
    return below;
  }

  /** Undoes a step of the parser: it turns `NOT x = y` and `NOT (x = y)` into `x != y`, with the place of the NOT. */
  #sinkNegated(node: Node, below: Node): Node {
    const right = node["class"] === "COMPARISON" ? node["right"] : childrenOf(node)[1];
    const token = this.#signBetween(below, right);
    if (token === undefined) throw unclear(tokenOf(node, this.#tokens));
    const positive = { ...node, type: NEGATED[String(node["type"])], query_location: token.at, alias: "" };
    const not = {
      class: "OPERATOR",
      type: "OPERATOR_NOT",
      alias: node["alias"],
      query_location: node["query_location"],
    };
    return { ...not, children: [this.#sink(positive)] };
  }

  /**
   * Finds the comparison sign, or IN, between two operands. It is before the right operand and its parentheses, or after the
   * left operand.
   */
  #signBetween(left: unknown, right: unknown): Token | undefined {
    let before = this.#placesIn(right)[0];
    while (before !== undefined && !isSign(before) && (before.text === "" || /^[-+(]$/.test(before.text)))
      before = this.#tokens.previous(before);
    if (before !== undefined) return isSign(before) ? before : undefined;
    let behind = this.#placesIn(left).at(-1);
    do behind = behind === undefined ? undefined : this.#tokens.next(behind);
    while (behind?.text === ")");
    return behind !== undefined && isSign(behind) ? behind : undefined;
  }

  /** Returns whether parentheses enclose the lower operator or its last operand: `(a AND b)->>`, `a AND (b AND c)->>`. */
  #isEnclosed(operator: Operator, lower: Operator): boolean {
    if (operator.token === undefined || lower.token === undefined) throw unclear(operator.token ?? lower.token);
    const { group } = operator.token;
    if (lower.token.group !== group) return true;
    const [last] = this.#placesIn(lower.right?.get());
    const [before] = this.#placesIn(lower.beforeRight);
    if (last === undefined || before === undefined) return false;
    const parenthesis = this.#tokens.between(group, last);
    return parenthesis !== -1 && parenthesis < before.at;
  }

  /** Returns the places of an expression's parts in order. Parts without a place in the tree are left out. */
  #placesIn(value: unknown): Token[] {
    const found: Token[] = [];
    const collect = (each: unknown): void => {
      if (Array.isArray(each)) return each.forEach(collect);
      if (!isObject(each)) return;
      const own = tokenOf(each, this.#tokens);
      if (own !== undefined) found.push(own);
      if (each["class"] !== "CONSTANT") Object.values(each).forEach(collect);
    };
    collect(value);
    return found.sort((a, b) => a.at - b.at);
  }
}

function isSign({ text }: Token): boolean {
  return /^([<>=!]+[-+]*|from|in)$/.test(text);
}

/** `x -> …` and `(x, i) -> …` */
function isLambdaParameter(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value["class"] === "COLUMN_REF" || (value["class"] === "FUNCTION" && value["function_name"] === "row");
}

/** Returns whether the node is a negated comparison or IN with NOT before it, unlike `!=` and `NOT IN`. */
function isNegatedInPlace(node: Readonly<Node>, tokens: Tokens): boolean {
  const token = tokenOf(node, tokens);
  if (token?.text !== "not" || NEGATED[String(node["type"])] === undefined) return false;
  return node["class"] === "COMPARISON" || tokens.next(token)?.text !== "in";
}

/** Swaps aliases, because the alias of a result or an argument belongs to the whole expression. */
function swapAliases(from: Node, to: Node): void {
  [from["alias"], to["alias"]] = [to["alias"], from["alias"]];
}

function unclear(token: Token | undefined): SyntaxFault {
  const place = token === undefined ? "" : ` (at character ${token.at + 1})`;
  return new SyntaxFault(
    `-> and ->> need JSON on their left, but there is a condition: put parentheses around each of them, as in (attributes->>'key')${place}`,
  );
}
