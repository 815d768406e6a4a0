import { SERVICE_OF_METRIC } from "../columns.ts";
import type { StoredTable } from "../spool/tables.ts";

/** Tables whose rows an erasure can remove. */
export type ErasedTable = StoredTable | "webhook_events";

/** The values to erase. A row must have all of them. */
export interface ErasureMatch {
  /** Every row of a deleted organization. */
  readonly everything?: true;
  /** A project's id. */
  readonly project_id?: string;
  readonly service?: string;
  /** The person or credential that acted, in tables of the spool. */
  readonly actor_id?: string;
  readonly trace_id?: string;
  readonly level?: string;
  readonly name?: string;
  readonly message?: string;
  /**
   * Values of attributes, as `attributes->>'key'` shows them. A key is a member's name, or a JSON pointer (RFC 6901) when it
   * begins with a slash.
   */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  /** A condition in SQL, as the gate has rendered it. Without other members. */
  readonly where?: string;
}

/** The members that can match rows of each type. */
export const MATCHABLE: Readonly<Record<ErasedTable, readonly (keyof ErasureMatch)[]>> = {
  logs: ["project_id", "service", "trace_id", "level", "message", "attributes"],
  metrics: ["project_id", "service", "name", "tags"],
  traces: ["project_id", "service", "trace_id", "name", "attributes"],
  access_log: ["project_id", "actor_id"],
  query_log: ["actor_id"],
  webhook_events: [],
};

export interface Predicate {
  /** The range of `timestamp` in microseconds since the epoch, without the end. Null: open. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  readonly match: ErasureMatch;
}

/**
 * Returns the condition as SQL that is true or false for every row. It contains only our own numbers and literals. A
 * condition in SQL (`match.where`) must have passed the gate in this process.
 * @throws Error for a match that rows of the type don't have. To fail is better than to erase too much.
 */
export function predicateSql(type: ErasedTable, { fromUs, toUs, match }: Predicate): string {
  if (match.where !== undefined) return whereSql(match.where, { fromUs, toUs });
  const known = new Set<string>(MATCHABLE[type]);
  const conditions: string[] = [];
  for (const [name, value] of Object.entries(match)) {
    if (!known.has(name)) throw new Error(`rows of this type can't be matched by ${name}`);
    if (name === "attributes") conditions.push(...membersOf(value).map(attributeSql));
    else if (name === "tags") conditions.push(...membersOf(value).map(tagSql));
    else if (type === "metrics" && name === "service")
      conditions.push(`${SERVICE_OF_METRIC} = ${textLiteral(String(value))}`);
    else conditions.push(`"${name}" = ${textLiteral(String(value))}`);
  }
  if (conditions.length === 0) throw new Error("an erasure must match at least one value");
  return `coalesce(${[...conditions, ...timesSql({ fromUs, toUs })].join(" AND ")}, false)`;
}

/** Returns a condition that the gate has rendered, within a range of time, as SQL that is true or false for every row. */
export function whereSql(where: string, range: Pick<Predicate, "fromUs" | "toUs">): string {
  return `coalesce(${[`(${where})::BOOLEAN`, ...timesSql(range)].join(" AND ")}, false)`;
}

function timesSql({ fromUs, toUs }: Pick<Predicate, "fromUs" | "toUs">): string[] {
  return [
    ...(fromUs === null ? [] : [`"timestamp" >= make_timestamptz(${wholeNumber(fromUs)})`]),
    ...(toUs === null ? [] : [`"timestamp" < make_timestamptz(${wholeNumber(toUs)})`]),
  ];
}

function membersOf(value: unknown): [string, string][] {
  return Object.entries(value as Readonly<Record<string, string>>);
}

/** Always uses a pointer, because DuckDB would take some names for paths. */
function attributeSql([key, value]: [string, string]): string {
  const pointer = key.startsWith("/") ? key : `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return `("attributes"->>${textLiteral(pointer)}) = ${textLiteral(value)}`;
}

function tagSql([key, value]: [string, string]): string {
  return `"tags"[${textLiteral(key)}] = ${textLiteral(value)}`;
}

/** A statement ends at U+0000, so `chr(0)` inserts that character. */
function textLiteral(text: string): string {
  const parts = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? (parts[0] ?? "''") : `(${parts.join(" || chr(0) || ")})`;
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error("a time must be a whole number of microseconds");
  return String(value);
}
