import { sql, type RawBuilder } from "kysely";
import type { MetadataStore, Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { headUnder, type SealedPlace, type Seals } from "./envelope.ts";
import type { WrapPurpose } from "./purposes.ts";

export type Row = Readonly<Record<string, unknown>>;

/** A column with sealed values. */
export interface SealedColumn {
  readonly table: keyof Tables;
  readonly column: string;
  readonly key: readonly string[];
  readonly purpose: WrapPurpose;
  /** The columns that `placeOf` needs besides the key. */
  readonly also?: readonly string[];
  /** The id and version of the place. The table's name is that of the column, except for objects. */
  readonly placeOf: (row: Row) => { readonly id: string; readonly version: number };
  /** The value is JSON, with the sealed key of an encrypted object in it. */
  readonly isDetail?: true;
}

function versionOf(column: string, less = 0): (row: Row) => { id: string; version: number } {
  return (row) => ({ id: String(row["id"]), version: Number(row[column]) - less });
}

const BY_ID = { key: ["id"], placeOf: (row: Row) => ({ id: String(row["id"]), version: 1 }) } as const;

function rotatedSecrets(table: "webhook_destination" | "alert"): SealedColumn[] {
  const common = { table, key: ["id"], purpose: "webhook-secret", also: ["secret_version"] } as const;
  return [
    { ...common, column: "secret", placeOf: versionOf("secret_version") },
    { ...common, column: "previous_secret", placeOf: versionOf("secret_version", 1) },
  ];
}

function detailsOf(table: "s3_object" | "s3_history" | "s3_upload", key: readonly string[]): SealedColumn {
  const placeOf = (row: Row): { id: string; version: number } => ({ id: sseOf(row["detail"]).nonce, version: 1 });
  return { table, column: "detail", key, purpose: "s3-object-key", placeOf, isDetail: true };
}

/** Every column with sealed values. A test compares the list with the rows of a server that used all of them. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "signing_key",
    column: "private_key",
    key: ["kid"],
    purpose: "signing-key",
    placeOf: (row) => ({ id: String(row["kid"]), version: 1 }),
  },
  { table: "s3_key", column: "secret", purpose: "s3-secret-key", ...BY_ID },
  {
    table: "webhook",
    column: "secrets",
    key: ["id"],
    purpose: "webhook-verification",
    also: ["secrets_version"],
    placeOf: versionOf("secrets_version"),
  },
  { table: "webhook_url", column: "token", purpose: "webhook-token", ...BY_ID },
  ...rotatedSecrets("webhook_destination"),
  ...rotatedSecrets("alert"),
  { table: "s3_destination", column: "secret", purpose: "webhook-secret", ...BY_ID },
  {
    table: "person_totp",
    column: "secret",
    key: ["user_id"],
    purpose: "totp",
    also: ["created_at"],
    placeOf: (row) => ({ id: String(row["user_id"]), version: Number(row["created_at"]) }),
  },
  {
    table: "idempotency",
    column: "sealed",
    key: ["key_hash"],
    purpose: "answer",
    placeOf: (row) => ({ id: String(row["key_hash"]), version: 0 }),
  },
  detailsOf("s3_object", ["bucket", "key"]),
  detailsOf("s3_history", ["bucket", "key", "seq"]),
  detailsOf("s3_upload", ["id"]),
];

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

/** Returns the same value under the current key. @throws Error if it can't be opened */
export function sealedAgain(
  envelope: Seals,
  { table, column, purpose, placeOf, isDetail }: SealedColumn,
  row: Row,
): unknown {
  const place: SealedPlace = { table: isDetail === true ? "s3_objects" : table, purpose, ...placeOf(row) };
  if (isDetail !== true) return envelope.sealAgain(place, row[column] as Uint8Array);
  const { detail, sse, sealedKey } = sseOf(row[column]);
  const made = Buffer.from(envelope.sealAgain(place, Buffer.from(sealedKey, "base64"))).toString("base64");
  return JSON.stringify({ ...detail, sse: { ...sse, sealedKey: made } });
}

function sseOf(text: unknown): { detail: object; sse: object; nonce: string; sealedKey: string } {
  const detail = JSON.parse(String(text)) as { sse?: { nonce?: string; sealedKey?: string } | null };
  const sse = detail.sse ?? {};
  const { nonce, sealedKey } = sse;
  if (nonce === undefined || sealedKey === undefined)
    throw new Error("cannot seal the key of an object again: its detail has no sealed key");
  return { detail, sse, nonce, sealedKey };
}

/** The name of a row in messages. */
export function nameOfRow({ table, column, key }: SealedColumn, row: Row): string {
  const text = (value: unknown): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
  return `${table}.${column} ${key.map((name) => text(row[name])).join(" ")}`;
}
