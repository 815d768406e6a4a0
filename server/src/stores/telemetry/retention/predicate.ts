import type { StoredTable } from "../spool/tables.ts";

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
}

/** The members that can match rows of each type. */
export const MATCHABLE: Readonly<Record<StoredTable, readonly (keyof ErasureMatch)[]>> = {
  logs: ["project_id", "service", "trace_id", "level", "message", "attributes"],
  metrics: ["project_id", "name", "tags"],
  traces: ["project_id", "service", "trace_id", "name", "attributes"],
  access_log: ["project_id", "actor_id"],
};

export interface Predicate {
  /** The range of `timestamp` in microseconds since the epoch, without the end. Null: open. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  readonly match: ErasureMatch;
}

/**
 * Returns the condition as SQL that is true or false for every row. It contains only our own numbers and literals.
 * @throws Error for a match that rows of the type don't have. To fail is better than to erase too much.
 */
export function predicateSql(type: StoredTable, { fromUs, toUs, match }: Predicate): string {
  const known = new Set<string>(MATCHABLE[type]);
  const conditions: string[] = [];
  for (const [name, value] of Object.entries(match)) {
    if (!known.has(name)) throw new Error(`rows of this type can't be matched by ${name}`);
    if (name === "attributes") conditions.push(...membersOf(value).map(attributeSql));
    else if (name === "tags") conditions.push(...membersOf(value).map(tagSql));
    else conditions.push(`"${name}" = ${textLiteral(String(value))}`);
  }
  if (conditions.length === 0) throw new Error("an erasure must match at least one value");
  if (fromUs !== null) conditions.push(`"timestamp" >= make_timestamptz(${wholeNumber(fromUs)})`);
  if (toUs !== null) conditions.push(`"timestamp" < make_timestamptz(${wholeNumber(toUs)})`);
  return `coalesce(${conditions.join(" AND ")}, false)`;
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
