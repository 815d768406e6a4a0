import { levelOf, levelOfWord, LEVELS } from "./levels.ts";
import type { Condition, Field, Term } from "./search-language.ts";

/** A log entry in the form of query results and tails. */
export interface LogEntry {
  readonly timestamp: string;
  readonly level: string;
  readonly severity: number | null;
  readonly message: string;
  readonly service: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly project_id: string | null;
}

/**
 * Returns the name of an entry in an address. Entries have no ids, so it is the time and a hash of the content. Two
 * equal entries have the same name.
 */
export function entryKey(entry: LogEntry): string {
  let hash = 0x811c9dc5;
  const text = JSON.stringify([
    entry.level,
    entry.message,
    entry.service,
    entry.trace_id,
    entry.span_id,
    entry.attributes,
  ]);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${entry.timestamp}~${(hash >>> 0).toString(36)}`;
}

/** Returns the time in an entry's key, or null if the key is invalid. */
export function momentOfKey(key: string): string | null {
  const [moment = ""] = key.split("~");
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/.test(moment) ? moment : null;
}

/** Adds a microsecond. The result is the end of a range that includes the moment. */
export function justAfter(moment: string): string {
  const [, seconds = "", fraction = ""] = /^(.{19})(?:\.(\d{1,6}))?/.exec(moment) ?? [];
  const micros = Number(fraction.padEnd(6, "0")) + 1;
  if (micros < 1_000_000) return `${seconds}.${String(micros).padStart(6, "0")}Z`;
  return new Date(Date.parse(`${seconds}Z`) + 1000).toISOString();
}

/** Returns the attributes with the names for searching. Objects and lists are JSON. */
export function attributePairs(entry: LogEntry): (readonly [name: string, value: string, isScalar: boolean])[] {
  return Object.entries(entry.attributes ?? {}).map(([name, value]) => {
    const isScalar = value === null || typeof value !== "object";
    return [name, typeof value === "string" ? value : JSON.stringify(value, null, isScalar ? 0 : 2), isScalar] as const;
  });
}

/** Whether an entry matches a term. For tails, because the server's tail supports fewer conditions than a query. */
export function fits(entry: LogEntry, term: Term): boolean {
  const holds = term.kind === "text" ? hasText(entry.message, term.text) : fitsField(entry, term.field, term.condition);
  return holds !== term.not;
}

function hasText(message: string, text: string): boolean {
  return message.toLowerCase().includes(text.toLowerCase());
}

function fitsField(entry: LogEntry, field: Field, condition: Condition): boolean {
  if (field.kind === "column" && field.name === "level") return fitsLevel(entry, condition);
  const value = field.kind === "column" ? entry[field.name] : attributeText(entry.attributes?.[field.name]);
  if (value === null) return false;
  if (field.kind === "column" && field.name === "message" && condition.kind === "is")
    return condition.values.some((text) => hasText(value, text));
  return fitsText(value, condition);
}

function fitsText(value: string, condition: Condition): boolean {
  switch (condition.kind) {
    case "is":
      return condition.values.includes(value);
    case "like":
      return patternOf(condition.pattern).test(value);
    case "has":
      return true;
    case "compare": {
      const [left, right] = [Number(value), Number(condition.value)];
      const [a, b] = Number.isNaN(right) ? [value, condition.value] : [left, right];
      return { ">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b }[condition.operator];
    }
  }
}

function fitsLevel(entry: LogEntry, condition: Condition): boolean {
  const severity = entry.severity;
  if (condition.kind === "is")
    return condition.values.some((word) => {
      const level = levelOfWord(word);
      return level === null
        ? entry.level.toLowerCase() === word.toLowerCase() || levelOf(severity) === word.toLowerCase()
        : levelOf(severity) === level.id;
    });
  if (condition.kind !== "compare") return fitsText(entry.level, condition);
  if (severity === null) return false;
  const { from, to } = levelOfWord(condition.value) ?? LEVELS[0];
  return { ">": severity > to, ">=": severity >= from, "<": severity < from, "<=": severity <= to }[condition.operator];
}

function attributeText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function patternOf(pattern: string): RegExp {
  const escaped = pattern.split("*").map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, (sign) => `\\${sign}`));
  return new RegExp(`^${escaped.join(".*")}$`, "is");
}
