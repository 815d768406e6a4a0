import { isObject } from "./refusal.ts";
import type { Token, Tokens } from "./tokens.ts";

/** A node of the syntax tree. It can be changed in place. */
export type Node = Record<string, unknown>;

/** A place in the tree that has an expression. */
export interface Slot {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
}

/** An operator and its operands, without separate parentheses. */
export interface Operator {
  /** The precedence, as in PostgreSQL ("Operator Precedence"), see `RANK`. */
  readonly rank: number;
  readonly token: Token | undefined;
  /** The operand on the left. Absent for a prefix operator. */
  readonly left?: Slot;
  /** The operand at the end. Absent for an operator with its own end, for example IN (…). */
  readonly right?: Slot;
  /** The operand before `right`. */
  readonly beforeRight?: unknown;
}

export const RANK = { or: 1, and: 2, not: 3, is: 4, comparison: 5, like: 6, other: 7 } as const;

const LIKE: ReadonlySet<string> = new Set(["~~", "!~~", "~~*", "!~~*", "~~~"]);
const LIKE_ESCAPE: ReadonlySet<string> = new Set([
  "like_escape",
  "not_like_escape",
  "ilike_escape",
  "not_ilike_escape",
]);

/** Returns the node as an operator, or undefined for a closed node: a call, a column, a literal, a cast. */
export function operatorOf(node: unknown, tokens: Tokens): Operator | undefined {
  if (!isObject(node)) return undefined;
  const token = tokenOf(node, tokens);
  const at = (key: string): Slot => slot(node, key);
  switch (node["class"]) {
    case "CONJUNCTION": {
      const rank = node["type"] === "CONJUNCTION_OR" ? RANK.or : RANK.and;
      const last = childrenOf(node).length - 1;
      const [left, right] = [child(node, 0), child(node, last)];
      return { rank, token, left, right, beforeRight: childrenOf(node)[last - 1] };
    }
    case "COMPARISON":
      return comparison(node, token);
    case "BETWEEN":
      return { rank: RANK.like, token, left: at("input"), right: at("upper"), beforeRight: node["input"] };
    case "SUBQUERY":
      // x IN (SELECT …), x = ANY(…)
      if (!isObject(node["child"])) return undefined;
      return { rank: /^(in|not)$/.test(token?.text ?? "") ? RANK.like : RANK.comparison, token, left: at("child") };
    case "LAMBDA":
      return { rank: RANK.other, token, left: at("lhs"), right: at("expr") };
    case "OPERATOR":
      return ofOperator(node, token, tokens);
    case "FUNCTION":
      return ofFunction(node, token);
    default:
      return undefined;
  }
}

export function isArrow(node: unknown): boolean {
  if (!isObject(node)) return false;
  if (node["class"] === "LAMBDA") return true;
  return node["class"] === "FUNCTION" && node["is_operator"] === true && /^->>?$/.test(String(node["function_name"]));
}

export function tokenOf(node: Readonly<Node>, tokens: Tokens): Token | undefined {
  const at = node["query_location"];
  return typeof at === "number" ? tokens.at(at) : undefined;
}

export function childrenOf(node: Readonly<Node>): unknown[] {
  return Array.isArray(node["children"]) ? (node["children"] as unknown[]) : [];
}

/**
 * Returns the node under the NOT of x NOT BETWEEN …, x NOT IN (SELECT …) or x NOT SIMILAR TO …. Each is one operator, but
 * two nodes.
 */
export function negatedWithin(not: Readonly<Node>, tokens: Tokens): Node | undefined {
  const [inner] = childrenOf(not);
  if (not["type"] !== "OPERATOR_NOT" || !isObject(inner)) return undefined;
  const isPlaceless = tokenOf(inner, tokens) === undefined;
  const isOne =
    inner["class"] === "SUBQUERY"
      ? inner["query_location"] === not["query_location"]
      : isPlaceless && (inner["class"] === "BETWEEN" || inner["function_name"] === "regexp_full_match");
  return isOne ? inner : undefined;
}

function comparison(node: Node, token: Token | undefined): Operator {
  const rank = String(node["type"]).endsWith("DISTINCT_FROM") ? RANK.is : RANK.comparison;
  const left = node["left"];
  // The parser adds a cast for x IS TRUE. This cast has no place in the text.
  if (rank === RANK.is && isObject(left) && left["class"] === "CAST" && typeof left["query_location"] !== "number")
    return { rank, token, left: slot(left, "child") };
  return { rank, token, left: slot(node, "left"), right: slot(node, "right"), beforeRight: left };
}

function ofOperator(node: Node, token: Token | undefined, tokens: Tokens): Operator | undefined {
  switch (node["type"]) {
    case "OPERATOR_NOT": {
      const inner = negatedWithin(node, tokens);
      const operator = inner === undefined ? undefined : operatorOf(inner, tokens);
      if (operator !== undefined) return { ...operator, rank: RANK.like, token };
      return { rank: RANK.not, token, right: child(node, 0) };
    }
    case "OPERATOR_IS_NULL":
    case "OPERATOR_IS_NOT_NULL":
      return { rank: RANK.is, token, left: child(node, 0) };
    case "COMPARE_IN":
    case "COMPARE_NOT_IN":
      return { rank: RANK.like, token, left: child(node, 0) };
    default:
      return undefined;
  }
}

function ofFunction(node: Node, token: Token | undefined): Operator | undefined {
  const name = String(node["function_name"]);
  const word = token?.text ?? "not"; // SIMILAR TO after NOT has no place in the tree
  const children = childrenOf(node);
  const binary = { token, left: child(node, 0), right: child(node, 1), beforeRight: children[0] };
  if (node["is_operator"] === true) {
    if (children.length !== 2) return undefined;
    return { ...binary, rank: LIKE.has(name) && /^[a-z]/.test(word) ? RANK.like : RANK.other };
  }
  if (name === "regexp_full_match" && /^(similar|not)$/.test(word)) return { ...binary, rank: RANK.like };
  if (name === "regexp_full_match" && word.startsWith("~")) return { ...binary, rank: RANK.other };
  if (LIKE_ESCAPE.has(name) && /^(not|i?like)$/.test(word)) return { rank: RANK.like, token, left: child(node, 0) };
  return undefined;
}

function slot(node: Node, key: string): Slot {
  return {
    get: () => node[key],
    set: (value) => {
      node[key] = value;
    },
  };
}

function child(node: Node, index: number): Slot {
  const children = childrenOf(node);
  return {
    get: () => children[index],
    set: (value) => {
      children[index] = value;
    },
  };
}
