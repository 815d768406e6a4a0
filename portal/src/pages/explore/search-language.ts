export type Comparison = ">" | ">=" | "<" | "<=";

/** The condition of a term on an entry's field. */
export type Condition =
  | { readonly kind: "is"; readonly values: readonly string[] }
  | { readonly kind: "like"; readonly pattern: string }
  | { readonly kind: "has" }
  | { readonly kind: "compare"; readonly operator: Comparison; readonly value: string };

/** One term of a search. An entry must match all terms. */
export type Term =
  | { readonly kind: "text"; readonly not: boolean; readonly text: string }
  | { readonly kind: "field"; readonly not: boolean; readonly field: Field; readonly condition: Condition };

export const COLUMNS = ["level", "service", "trace_id", "span_id", "message"] as const;

export type Field =
  | { readonly kind: "column"; readonly name: (typeof COLUMNS)[number] }
  | { readonly kind: "attribute"; readonly name: string };

/** A part of the search that can't be parsed, and a correction. */
export interface Mistake {
  readonly at: number;
  readonly text: string;
  readonly advice: string;
}

export interface Search {
  readonly terms: readonly Term[];
  readonly mistakes: readonly Mistake[];
}

interface Token {
  readonly at: number;
  readonly not: boolean;
  readonly name: string | null;
  readonly value: string;
  readonly isQuoted: boolean;
  readonly raw: string;
  readonly isOpen: boolean;
}

/**
 * Parses `level:error service:payments -order:58211 "card declined"`. It never throws: invalid parts are reported as
 * mistakes.
 */
export function parseSearch(text: string): Search {
  const terms: Term[] = [];
  const mistakes: Mistake[] = [];
  for (const token of tokensOf(text)) {
    const advice = adviceFor(token);
    if (advice === null) terms.push(termOf(token));
    else mistakes.push({ at: token.at, text: token.raw, advice });
  }
  return { terms, mistakes };
}

const TOKEN = /(-?)(?:([A-Za-z_@][\w.@/-]*):)?(?:"((?:[^"\\]|\\.)*)("?)|(\S*))/gy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null || found[0] === "") break;
    const [raw, minus = "", name, quoted, end, bare = ""] = found;
    const isQuoted = quoted !== undefined;
    const value = isQuoted ? quoted.replaceAll(/\\(.)/g, "$1") : bare;
    tokens.push({ at, raw, not: minus === "-", name: name ?? null, value, isQuoted, isOpen: isQuoted && end === "" });
    at += raw.length;
  }
  return tokens;
}

function adviceFor({ name, value, isQuoted, isOpen, not }: Token): string | null {
  if (isOpen) return 'A quotation mark is missing at the end: "card declined".';
  if (isQuoted) return value === "" ? "There is nothing between the quotation marks." : null;
  if (name === null && /^(AND|OR|NOT)$/.test(value))
    return value === "OR"
      ? "An entry must match all terms. For alternatives write level:error,warn; for more, open the search as SQL."
      : value === "AND"
        ? "An entry must match all terms: remove AND."
        : "Write a minus before a term that must not match: -level:debug.";
  if (/^[()]/.test(value) || (name === null && /[()]$/.test(value) && !value.includes("(")))
    return 'Brackets do not group terms. Put quotation marks around text with brackets: "exit (1)".';
  if (/^\/.+\/$/.test(value))
    return "Regular expressions are not supported here: open the search as SQL and use regexp_matches.";
  if (value === "")
    return name === null
      ? not
        ? "Write the minus directly before a term: -level:debug."
        : "The term is empty."
      : `A value is missing: ${name}:value, or ${name}:* for entries that have it.`;
  if (name !== null && /^(>=?|<=?)$/.test(value)) return `A value is missing, as in ${name}:${value}100.`;
  if (name === null && value.startsWith(":"))
    return "A field name is missing before the colon, as in service:payments.";
  return null;
}

function termOf({ name, value, isQuoted, not }: Token): Term {
  if (name === null) return { kind: "text", not, text: value };
  return {
    kind: "field",
    not,
    field: fieldOf(name),
    condition: isQuoted ? { kind: "is", values: [value] } : conditionOf(value),
  };
}

function fieldOf(name: string): Field {
  const column = COLUMNS.find((known) => known === name);
  if (column !== undefined) return { kind: "column", name: column };
  return { kind: "attribute", name: name.replace(/^(?:attributes|attr)\./, "") };
}

function conditionOf(value: string): Condition {
  if (value === "*") return { kind: "has" };
  const [, operator, compared] = /^(>=|<=|>|<)(.+)$/.exec(value) ?? [];
  if (operator !== undefined && compared !== undefined)
    return { kind: "compare", operator: operator as Comparison, value: compared };
  if (value.includes("*")) return { kind: "like", pattern: value };
  return { kind: "is", values: value.split(",").filter((part) => part !== "") };
}

/** Returns a term in the form in which people write it. */
export function fieldTerm(name: string, value: string, { not = false } = {}): string {
  const isPlain = /^[\w.@/:+-]+$/.test(value);
  return `${not ? "-" : ""}${name}:${isPlain ? value : `"${value.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`}`;
}

/** Adds a term to a search, and removes its opposite. If the search has the term already, it stays the same. */
export function withTerm(search: string, term: string): string {
  const contrary = term.startsWith("-") ? term.slice(1) : `-${term}`;
  const parts = tokensOf(search)
    .map(({ raw }) => raw)
    .filter((raw) => raw !== contrary);
  return (parts.includes(term) ? parts : [...parts, term]).join(" ");
}

/** Removes a term from a search. */
export function withoutTerm(search: string, term: string): string {
  return tokensOf(search)
    .map(({ raw }) => raw)
    .filter((raw) => raw !== term)
    .join(" ");
}

export function hasTerm(search: string, term: string): boolean {
  return tokensOf(search).some(({ raw }) => raw === term);
}
