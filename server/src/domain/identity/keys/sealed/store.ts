import { sql, type RawBuilder } from "kysely";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { headUnder } from "../envelope.ts";
import type { Row, SealedColumn } from "./columns.ts";

/** Returns the next values that are not sealed under this key, in the order of the rows. */
export async function oldValues(
  { read, dialect }: Pick<MetadataStore, "read" | "dialect">,
  sealed: SealedColumn,
  keyId: string,
  { after, limit }: { readonly after: Row | undefined; readonly limit: number },
): Promise<Row[]> {
  const { table, key, column, also = [] } = sealed;
  const columns = sql.join([...key, column, ...also].map((name) => sql.ref(name)));
  const order = sql.join(key.map((name) => sql.ref(name)));
  const beyond =
    after === undefined ? sql`1 = 1` : sql`(${order}) > (${sql.join(key.map((name) => sql.val(after[name])))})`;
  const query = sql<Row>`select ${columns} from ${sql.table(table)}
    where ${isOld(sealed, keyId, dialect)} and ${beyond} order by ${order} limit ${sql.lit(limit)}`;
  return (await query.execute(read)).rows;
}

/** Counts the values that are not sealed under this key. */
export async function countOld(
  { read, dialect }: { readonly read: Reader; readonly dialect: MetadataStore["dialect"] },
  sealed: SealedColumn,
  keyId: string,
): Promise<number> {
  const query = sql<{ n: number }>`select count(*) as n from ${sql.table(sealed.table)}
    where ${isOld(sealed, keyId, dialect)}`;
  return Number((await query.execute(read)).rows[0]?.n ?? 0);
}

function isOld(
  { column, isDetail }: SealedColumn,
  keyId: string,
  dialect: MetadataStore["dialect"],
): RawBuilder<unknown> {
  const value = sql.ref(column);
  const head = headUnder(keyId);
  if (isDetail !== true) return sql`${value} is not null and substr(${value}, 1, ${sql.lit(head.length)}) <> ${head}`;
  // Nine bytes are exactly twelve characters of base64.
  const mark = `"sealedKey":"`;
  const position = (text: string): RawBuilder<unknown> =>
    dialect === "sqlite" ? sql`instr(${value}, ${text})` : sql`strpos(${value}, ${text})`;
  return sql`${position(mark)} > 0 and ${position(mark + head.toString("base64"))} = 0`;
}

/** Replaces a value, if it is still the same. A writer may have replaced it, or moved it to another version. */
export async function replaceValue(tx: Writer, sealed: SealedColumn, row: Row, made: unknown): Promise<boolean> {
  const { table, key, column, also = [] } = sealed;
  const same = [...key, column, ...also].map((name) => sql`${sql.ref(name)} = ${row[name]}`);
  const query = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${made} where ${sql.join(same, sql` and `)}`;
  return (await query.execute(tx)).numAffectedRows === 1n;
}
