import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { TYPES, type TypeName } from "./days.ts";

export type ErasureBody = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure>;

/** The members for conditions, and the types that have them. */
export const MEMBERS = [
  { name: "service", title: "service", types: TYPES, hasKey: false },
  { name: "project_id", title: "project id", types: TYPES, hasKey: false },
  { name: "trace_id", title: "trace id", types: ["logs", "traces"], hasKey: false },
  { name: "level", title: "level", types: ["logs"], hasKey: false },
  { name: "message", title: "message, whole", types: ["logs"], hasKey: false },
  { name: "name", title: "name of a metric or span", types: ["metrics", "traces"], hasKey: false },
  { name: "attributes", title: "attribute", types: ["logs", "traces"], hasKey: true },
  { name: "tags", title: "tag of a metric", types: ["metrics"], hasKey: true },
] as const;

export type MemberName = (typeof MEMBERS)[number]["name"];

export interface Condition {
  readonly member: MemberName;
  /** The key of an attribute or a tag. */
  readonly key: string;
  readonly value: string;
}

/** The tables of a condition in SQL. */
export const TABLES = [...TYPES, "webhook_events", "access_log"] as const;

/** A condition in SQL on one table. */
export interface SqlChoice {
  readonly table: (typeof TABLES)[number];
  readonly where: string;
}

export interface Draft {
  /** Instead of types and conditions. */
  readonly sql?: SqlChoice | undefined;
  readonly types: readonly TypeName[];
  readonly conditions: readonly Condition[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const EMPTY: Draft = {
  types: ["logs", "traces"],
  conditions: [{ member: "attributes", key: "user", value: "" }],
};

/** Returns the types that have all members of the conditions. Rows of other types can't match. */
export function possibleTypes(conditions: readonly Condition[]): readonly TypeName[] {
  return TYPES.filter((type) =>
    conditions.every(({ member }) =>
      MEMBERS.some(({ name, types }) => name === member && (types as readonly TypeName[]).includes(type)),
    ),
  );
}

/** Returns the error in a draft as a sentence, or null if it is valid. */
export function faultOf(draft: Draft): string | null {
  const { sql, from, to } = draft;
  const fault = sql === undefined ? matchFault(draft) : sql.where.trim() === "" ? "Write a condition." : null;
  if (fault !== null) return fault;
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    return "The end must be after the start.";
  return null;
}

function matchFault({ types, conditions }: Draft): string | null {
  if (conditions.length === 0) return "Add a condition. To delete all rows, use retention.";
  for (const { member, key, value } of conditions) {
    if (value === "") return "Each condition needs a value.";
    if (MEMBERS.some(({ name, hasKey }) => name === member && hasKey) && key === "")
      return "An attribute or tag needs its name.";
  }
  const places = conditions.map(({ member, key }) => `${member}/${key}`);
  if (new Set(places).size < places.length) return "Two conditions have the same field. No row can match both.";
  const possible = possibleTypes(conditions);
  if (types.length === 0) return "Choose a type.";
  const odd = types.find((type) => !possible.includes(type));
  if (odd !== undefined) return `${odd} do not have all of these members.`;
  return null;
}

/** Returns the body for the API. */
export function bodyOf({ sql, types, conditions, from, to }: Draft): ErasureBody {
  const times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (sql !== undefined) return { types: [sql.table], where: sql.where, ...times };
  const match: Record<string, unknown> = {};
  for (const { member, key, value } of conditions)
    if (member === "attributes" || member === "tags")
      match[member] = { ...(match[member] as object | undefined), [key]: value };
    else match[member] = value;
  return { types: [...types], match, ...times };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns a statement that counts the rows to erase, by type. */
export function countSql({ sql, types, conditions, from, to }: Draft): string {
  const where = [
    ...(sql === undefined ? [] : [`${sql.where}\n`]),
    ...(sql === undefined ? conditions : []).map(({ member, key, value }) => {
      if (member === "attributes") return `attributes->>${quoted(key)} = ${quoted(value)}`;
      if (member === "tags") return `tags[${quoted(key)}] = ${quoted(value)}`;
      return `${member} = ${quoted(value)}`;
    }),
    ...(from === undefined ? [] : [`timestamp >= ${quoted(from)}`]),
    ...(to === undefined ? [] : [`timestamp < ${quoted(to)}`]),
  ].map((condition) => `(${condition})`);
  return (sql === undefined ? types : [sql.table])
    .map((type) => `SELECT '${type}' AS type, count(*) AS entries FROM ${type} WHERE ${where.join(" AND ")}`)
    .join("\nUNION ALL\n");
}
