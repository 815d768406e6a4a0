import { randomBytes } from "node:crypto";
import {
  namedLookup,
  openedValue,
  SEALED_COLUMNS,
  sealedValue,
  type Identity,
  type SealedColumn,
} from "#domain/identity/index.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import type { MoveKey } from "./passphrase.ts";
import type { Row } from "./store.ts";
import type { MovedTable } from "./tables.ts";

/** A value of bytes, or a sealed value, in a row of an export. */
type Written = { readonly bytes: string } | { readonly sealed: string; readonly detail?: string };

type Keys = Pick<Identity, "envelope" | "ring">;

/** Thrown for an object whose key can't leave without a passphrase. */
export class NeedsPassphrase extends Error {
  constructor() {
    super("an object is encrypted with a key of this server, which leaves only with a passphrase");
  }
}

/** Returns the row as the export has it. */
export function leavingRow(
  moved: MovedTable,
  row: Row,
  { identity, key }: { readonly identity: Keys; readonly key: MoveKey | null },
): Row {
  const { table, leaves = {}, sealedTexts = [], hash } = moved;
  const made: Row = { ...row, ...leaves };
  if (hash !== undefined) made[hash.key] = namedLookup(identity.ring, hash.purpose, asText(row[hash.key]));
  for (const name of sealedTexts) {
    const text = asText(row[name]);
    made[name] =
      text === null || key === null ? null : { sealed: key.seal(placeOf(moved, row, name), Buffer.from(text)) };
  }
  for (const column of sealedOf(table)) made[column.column] = leavingSecret(moved, column, row, { identity, key });
  for (const [name, value] of Object.entries(made))
    if (value instanceof Uint8Array) made[name] = { bytes: Buffer.from(value).toString("base64") };
  return made;
}

function leavingSecret(
  moved: MovedTable,
  column: SealedColumn,
  row: Row,
  { identity, key }: { readonly identity: Keys; readonly key: MoveKey | null },
): unknown {
  const plain = openedValue(identity.envelope, column, row);
  if (plain === null) return row[column.column];
  if (key === null && column.isDetail === true) throw new NeedsPassphrase();
  if (key === null) return null;
  const sealed = key.seal(placeOf(moved, row, column.column), plain);
  return column.isDetail === true ? { sealed, detail: withoutKey(String(row[column.column])) } : { sealed };
}

function withoutKey(detail: string): string {
  const all = JSON.parse(detail) as { sse: object };
  return JSON.stringify({ ...all, sse: { ...all.sse, sealedKey: "" } });
}

/**
 * Returns the row for this server. Secrets that the export does not have become random ones, which nobody knows: they
 * need a rotation.
 */
export function arrivingRow(
  moved: MovedTable,
  written: Row,
  { identity, key }: { readonly identity: Keys; readonly key: MoveKey | null },
): Row {
  const { table, sealedTexts = [], leaves = {}, arrives = {}, hash } = moved;
  const row: Row = { ...written, ...leaves, ...arrives };
  for (const [name, value] of Object.entries(row)) if (isBytes(value)) row[name] = Buffer.from(value.bytes, "base64");
  for (const name of sealedTexts)
    row[name] = isSealed(row[name]) ? opened(moved, row, name, key).toString() : (row[name] ?? null);
  for (const column of sealedOf(table)) row[column.column] = arrivingSecret(moved, column, row, { identity, key });
  if (hash !== undefined && key === null) {
    row[hash.column] = randomBytes(32).toString("hex");
    row[hash.key] = null;
  }
  return row;
}

function arrivingSecret(
  moved: MovedTable,
  column: SealedColumn,
  row: Row,
  { identity, key }: { readonly identity: Keys; readonly key: MoveKey | null },
): unknown {
  const value = row[column.column];
  if (isSealed(value)) {
    const plain = opened(moved, row, column.column, key);
    const place = column.isDetail === true ? { ...row, [column.column]: value.detail } : row;
    return sealedValue(identity.envelope, column, place, plain);
  }
  if (value !== null || column.isDetail === true) return value;
  const random = RANDOM[`${column.table}.${column.column}`];
  return random === undefined ? null : sealedValue(identity.envelope, column, row, Buffer.from(random()));
}

/** Secrets that a row must have. The others may be absent. */
const RANDOM: Readonly<Record<string, () => string>> = {
  "s3_key.secret": () => randomBytes(30).toString("base64url"),
  "webhook_destination.secret": newWebhookSecret,
  "alert.secret": newWebhookSecret,
  "s3_destination.secret": newWebhookSecret,
};

function opened(moved: MovedTable, row: Row, name: string, key: MoveKey | null): Buffer {
  const value = row[name];
  if (key === null || !isSealed(value)) throw new Error(`${moved.table}.${name} needs the passphrase of the export`);
  return key.open(placeOf(moved, row, name), value.sealed);
}

/** Names a value, so that it can't be opened in another row. */
function placeOf({ table, key }: MovedTable, row: Row, column: string): string {
  const values = key.map((name) => {
    const value = row[name];
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value);
  });
  return JSON.stringify([table, column, ...values]);
}

function sealedOf(table: string): SealedColumn[] {
  return SEALED_COLUMNS.filter((column) => column.table === table);
}

function isBytes(value: unknown): value is Extract<Written, { bytes: string }> {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "bytes") === "string";
}

function isSealed(value: unknown): value is Extract<Written, { sealed: string }> {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "sealed") === "string";
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
