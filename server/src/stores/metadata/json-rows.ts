import { sql, type RawBuilder } from "kysely";
import type { Tables } from "./schema.ts";
import type { MetadataStore, Writer } from "./types.ts";

type Dialect = MetadataStore["dialect"];

/** UTF-8 as a text, made by the database: a large one costs the event loop nothing. */
export function textValue(dialect: Dialect, utf8: Uint8Array): RawBuilder<string> {
  return dialect === "sqlite" ? sql<string>`cast(${utf8} as text)` : sql<string>`convert_from(${utf8}, 'UTF8')`;
}

export interface JsonRows {
  readonly table: keyof Tables;
  /** Columns that have the same text in every row. */
  readonly same: Readonly<Record<string, string>>;
  /** The column that has the place in the array, from 0. */
  readonly place: string;
  /** Columns that are members of the objects, of the same name. */
  readonly members: Readonly<Record<string, "text" | "bigint">>;
  /** A JSON array of objects, in UTF-8. */
  readonly json: Uint8Array;
}

/** Inserts a row for each object, in one statement with one text: ten thousand rows as parameters cost the event loop 100 ms. */
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
 * Rows in one value, a JSON list of objects, as a table of a statement: its text is the same for any number of rows, so
 * it is prepared once, and one value costs less to send than one for each column of each row.
 */
export function jsonTable(
  dialect: Dialect,
  columns: Readonly<Record<string, JsonColumn>>,
  json: string,
): RawBuilder<unknown> {
  const all = Object.entries(columns);
  return dialect === "sqlite" ? sqliteTable(all, json) : postgresTable(all, json);
}

/** Characters that a JSON text holds as they are, and both databases keep. */
const PLAIN = /^[ !#-[\]-~\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*$/u;

/**
 * UTF-8 for a column of `bytes`: the text behind a `t`, or its hexadecimal digits behind an `x`. It needs no quotes and no escapes. A thousand long keys in
 * digits cost the event loop 4 ms more.
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
