import { sql, type RawBuilder } from "kysely";
import type { Tables } from "./schema.ts";
import type { MetadataStore, Writer } from "./types.ts";

type Dialect = MetadataStore["dialect"];

/** Converts UTF-8 to a text in the database. Converting a large one here would block the event loop. */
export function textValue(dialect: Dialect, utf8: Uint8Array): RawBuilder<string> {
  return dialect === "sqlite" ? sql<string>`cast(${utf8} as text)` : sql<string>`convert_from(${utf8}, 'UTF8')`;
}

export interface JsonRows {
  readonly table: keyof Tables;
  /** Columns with the same text in every row. */
  readonly same: Readonly<Record<string, string>>;
  /** The column for the position in the array, from 0. */
  readonly place: string;
  /** Columns with the same names as members of the objects. */
  readonly members: Readonly<Record<string, "text" | "bigint">>;
  /** A JSON array of objects, in UTF-8. */
  readonly json: Uint8Array;
}

/**
 * Inserts a row for each object by one statement with one text. Ten thousand rows as parameters would block the event
 * loop for 100 ms.
 */
export async function insertJsonRows(dialect: Dialect, tx: Writer, rows: JsonRows): Promise<void> {
  const { table, same, place, members, json } = rows;
  const list = textValue(dialect, json);
  const isSqlite = dialect === "sqlite";
  const columns = [...Object.keys(same), place, ...Object.keys(members)].map((name) => sql.ref(name));
  const values = [
    ...Object.values(same).map((value) => sql`cast(${value} as text)`),
    isSqlite ? sql`e.key` : sql`e.place - 1`,
    ...Object.entries(members).map(([name, type]) =>
      isSqlite || type === "text" ? sql`e.value ->> ${sql.lit(name)}` : sql`(e.value ->> ${sql.lit(name)})::bigint`,
    ),
  ];
  const from = isSqlite
    ? sql`json_each(${list}) as e`
    : sql`json_array_elements((${list})::json) with ordinality as e (value, place)`;
  await sql`insert into ${sql.table(table)} (${sql.join(columns)}) select ${sql.join(values)} from ${from}`.execute(tx);
}

/** The type of a column. `bytes` are encoded by `bytesInJson`. */
type JsonColumn = "text" | "integer" | "bytes";

/**
 * Returns a table expression for the rows of a JSON list of objects. The statement is the same for any number of rows,
 * so it is prepared once, and one value costs less than one for each cell.
 */
export function jsonTable(
  dialect: Dialect,
  columns: Readonly<Record<string, JsonColumn>>,
  json: string,
): RawBuilder<unknown> {
  const all = Object.entries(columns);
  return dialect === "sqlite" ? sqliteTable(all, json) : postgresTable(all, json);
}

/** Characters that need no escape in JSON, and that both databases keep. */
const PLAIN = /^[ !#-[\]-~\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*$/u;

/**
 * Encodes UTF-8 for a `bytes` column: `t` and the text, or `x` and hexadecimal digits. Neither form needs quotes or
 * escapes. Only digits would cost the event loop 4 ms more for a thousand long keys.
 */
export function bytesInJson(text: string): string {
  return PLAIN.test(text) ? `t${text}` : `x${Buffer.from(text, "utf8").toString("hex")}`;
}

type Columns = readonly (readonly [string, JsonColumn])[];

function sqliteTable(columns: Columns, json: string): RawBuilder<unknown> {
  const parts = columns.map(([name, kind]) => {
    const value = sql`value ->> ${sql.lit(`$.${name}`)}`;
    const bytes = sql`case when ${value} like 'x%' then unhex(substr(${value}, 2)) else cast(substr(${value}, 2) as blob) end`;
    return sql`${kind === "bytes" ? bytes : value} as ${sql.ref(name)}`;
  });
  return sql`(select ${sql.join(parts)} from json_each(${json}))`;
}

function postgresTable(columns: Columns, json: string): RawBuilder<unknown> {
  const types = columns.map(([name, kind]) => sql`${sql.ref(name)} ${sql.raw(kind === "integer" ? "bigint" : "text")}`);
  const parts = columns.map(([name, kind]) => {
    const value = sql.ref(name);
    const bytes = sql`case when ${value} like 'x%' then decode(substr(${value}, 2), 'hex') else convert_to(substr(${value}, 2), 'UTF8') end`;
    return kind === "bytes" ? sql`${bytes} as ${value}` : value;
  });
  return sql`(select ${sql.join(parts)} from json_to_recordset(${json}::json) as handed_over (${sql.join(types)}))`;
}
