import type { Tables } from "#stores/metadata/index.ts";
import type { SealedPlace, Seals } from "../envelope.ts";
import type { WrapPurpose } from "../purposes.ts";

export type Row = Readonly<Record<string, unknown>>;

/** A column with sealed values. */
export interface SealedColumn {
  readonly table: keyof Tables;
  readonly column: string;
  readonly key: readonly string[];
  readonly purpose: WrapPurpose;
  /** The columns that `placeOf` needs in addition to the key. */
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
  { table: "s3_key_former", column: "secret", purpose: "s3-secret-key", ...BY_ID },
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
  { table: "checkpoint_key", column: "private_key", purpose: "signing-key", ...BY_ID },
  { table: "mail", column: "body", purpose: "answer", ...BY_ID },
  detailsOf("s3_object", ["bucket", "key"]),
  detailsOf("s3_history", ["bucket", "key", "seq"]),
  detailsOf("s3_upload", ["id"]),
];

/** Returns the sealed value of a row and its place, or null if the row has none. */
export function sealedIn(column: SealedColumn, row: Row): { place: SealedPlace; sealed: Uint8Array } | null {
  const value = row[column.column];
  if (column.isDetail !== true) {
    return value === null ? null : { place: placeOf(column, row), sealed: value as Uint8Array };
  }
  const { sse } = JSON.parse(String(value)) as { sse?: { sealedKey?: string } | null };
  if (sse?.sealedKey === undefined) return null;
  return { place: placeOf(column, row), sealed: Buffer.from(sse.sealedKey, "base64") };
}

/** Returns the column's value with another sealed value in it. */
export function withSealed(column: SealedColumn, row: Row, seal: (place: SealedPlace) => Uint8Array): unknown {
  const made = seal(placeOf(column, row));
  if (column.isDetail !== true) return made;
  const { detail, sse } = sseOf(row[column.column]);
  return JSON.stringify({ ...detail, sse: { ...sse, sealedKey: Buffer.from(made).toString("base64") } });
}

/** Returns the same value under the current key. @throws Error if it can't be opened */
export function sealedAgain(envelope: Seals, column: SealedColumn, row: Row): unknown {
  const sealed =
    column.isDetail === true ? Buffer.from(sseOf(row[column.column]).sealedKey, "base64") : row[column.column];
  return withSealed(column, row, (place) => envelope.sealAgain(place, sealed as Uint8Array));
}

function placeOf({ table, purpose, placeOf: place, isDetail }: SealedColumn, row: Row): SealedPlace {
  return { table: isDetail === true ? "s3_objects" : table, purpose, ...place(row) };
}

function sseOf(text: unknown): { detail: object; sse: object; nonce: string; sealedKey: string } {
  const detail = JSON.parse(String(text)) as { sse?: { nonce?: string; sealedKey?: string } | null };
  const sse = detail.sse ?? {};
  const { nonce, sealedKey } = sse;
  if (nonce === undefined || sealedKey === undefined)
    throw new Error("cannot seal the key of an object: its detail has no sealed key");
  return { detail, sse, nonce, sealedKey };
}

/** The name of a row in messages. */
export function nameOfRow({ table, column, key }: SealedColumn, row: Row): string {
  const text = (value: unknown): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
  return `${table}.${column} ${key.map((name) => text(row[name])).join(" ")}`;
}
