import { parseJson } from "#kernel/json-names.ts";
import { severityOf } from "#kernel/severity.ts";
import { PLACE, type Row } from "./row.ts";

/** The filter that a tail requests. Names of attributes follow `attributes.`. */
export interface FilterQuery {
  readonly level?: string;
  readonly service?: string;
  readonly trace_id?: string;
  readonly q?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Filter {
  /** Equal for filters with the same result. */
  readonly key: string;
  /** Returns false only if no row of these lines can match. Costs next to nothing. */
  mayMatch(lines: Buffer | string): boolean;
  matches(row: Row): boolean;
}

type Condition = (row: Row) => boolean;

/** Combines all conditions. Cheap ones are checked first. */
export function filterOf(query: FilterQuery): Filter {
  const conditions: Condition[] = [];
  if (query.level !== undefined) conditions.push(levelFrom(query.level));
  for (const name of ["service", "trace_id"] as const) {
    const wanted = query[name];
    if (wanted !== undefined) conditions.push((row) => row.text(PLACE[name]) === wanted);
  }
  if (query.q !== undefined) conditions.push(messageWith(query.q));
  const attributes = Object.entries(query.attributes);
  if (attributes.length > 0) conditions.push(attributesAre(attributes));
  const { level, service, trace_id, q } = query;
  const needles = [service, trace_id, ...Object.values(query.attributes).filter(isNoNumber)].filter(isThere);
  return {
    // A line with an escape may match, since the escape could be any character.
    mayMatch: (lines) => needles.every((needle) => lines.includes(needle)) || lines.includes("\\"),
    key: JSON.stringify([level, service, trace_id, q, attributes]),
    matches: (row) => conditions.every((condition) => condition(row)),
  };
}

/** A number can be written in several ways, so only other texts can be searched in the raw row. */
function isNoNumber(text: string): boolean {
  return Number.isNaN(Number(text));
}

function isThere(text: string | undefined): text is string {
  return text !== undefined;
}

/**
 * A level with a severity matches itself and higher ones. Any other level matches only itself, in upper or lower case.
 */
function levelFrom(level: string): Condition {
  const least = severityOf(level);
  const word = level.toLowerCase();
  return (row) => {
    const severity = row.json(PLACE.severity);
    if (least !== undefined && severity !== undefined && severity !== "null") return Number(severity) >= least;
    return row.text(PLACE.level)?.toLowerCase() === word;
  };
}

function messageWith(part: string): Condition {
  const wanted = part.toLowerCase();
  return (row) => row.text(PLACE.message)?.toLowerCase().includes(wanted) ?? false;
}

function attributesAre(wanted: readonly (readonly [string, string])[]): Condition {
  return (row) => {
    const json = row.json(PLACE.attributes);
    if (json === undefined) return false;
    const attributes = parseJson(json) as Readonly<Record<string, unknown>> | null;
    if (attributes === null) return false;
    return wanted.every(([name, text]) => Object.hasOwn(attributes, name) && isText(attributes[name], text, json));
  };
}

/** Compares an attribute with a text: strings directly, true and false as words, numbers by value. */
function isText(value: unknown, text: string, json: string): boolean {
  if (typeof value === "string") return value === text;
  if (typeof value === "boolean") return String(value) === text;
  if (typeof value !== "number" || text.trim() === "" || Number(text) !== value) return false;
  // Many numbers beyond the digits of a double are equal as doubles, so their digits are compared.
  return Number.isSafeInteger(value) || !Number.isInteger(value) || json.includes(text);
}
