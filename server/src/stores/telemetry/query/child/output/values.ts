import {
  DuckDBTypeId,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDecimalValue,
  type DuckDBListValue,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { isoFromMicros, isoFromNanos } from "./timestamps.ts";

/** Renders a value that is not NULL as JSON text. */
export type ToJson = (value: DuckDBValue) => string;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const quoted: ToJson = (value) => JSON.stringify(String(value));
const number: ToJson = (value) => (Number.isFinite(value) ? String(value) : "null");
const integer: ToJson = (value) => {
  const text = String(value);
  return typeof value === "bigint" && (value > SAFE || value < -SAFE) ? `"${text}"` : text;
};

const SCALARS: ReadonlyMap<DuckDBTypeId, ToJson> = new Map<DuckDBTypeId, ToJson>([
  [DuckDBTypeId.BOOLEAN, String],
  [DuckDBTypeId.TINYINT, String],
  [DuckDBTypeId.SMALLINT, String],
  [DuckDBTypeId.INTEGER, String],
  [DuckDBTypeId.UTINYINT, String],
  [DuckDBTypeId.USMALLINT, String],
  [DuckDBTypeId.UINTEGER, String],
  [DuckDBTypeId.BIGINT, integer],
  [DuckDBTypeId.UBIGINT, integer],
  [DuckDBTypeId.HUGEINT, integer],
  [DuckDBTypeId.UHUGEINT, integer],
  [DuckDBTypeId.BIGNUM, integer],
  [DuckDBTypeId.FLOAT, (value) => number(shortestFloat(Number(value)))],
  [DuckDBTypeId.DOUBLE, number],
  [DuckDBTypeId.DECIMAL, (value) => decimal(value as DuckDBDecimalValue)],
  [DuckDBTypeId.VARCHAR, (value) => JSON.stringify(value)],
  [DuckDBTypeId.BLOB, (value) => `"${Buffer.from((value as DuckDBBlobValue).bytes).toString("base64")}"`],
  [DuckDBTypeId.TIMESTAMP, (value) => `"${isoFromMicros((value as DuckDBTimestampValue).micros)}"`],
  [DuckDBTypeId.TIMESTAMP_TZ, (value) => `"${isoFromMicros((value as DuckDBTimestampTZValue).micros)}"`],
  [
    DuckDBTypeId.TIMESTAMP_S,
    (value) => `"${isoFromMicros((value as DuckDBTimestampSecondsValue).seconds * 1_000_000n)}"`,
  ],
  [
    DuckDBTypeId.TIMESTAMP_MS,
    (value) => `"${isoFromMicros((value as DuckDBTimestampMillisecondsValue).millis * 1000n)}"`,
  ],
  [DuckDBTypeId.TIMESTAMP_NS, (value) => `"${isoFromNanos((value as DuckDBTimestampNanosecondsValue).nanos)}"`],
]);

/**
 * Returns the JSON form of a type. Whole numbers and decimals that a double can't hold exactly are strings. NaN and the
 * infinities are null, times ISO 8601 in UTC, maps and structs objects, blobs base64. All other values are DuckDB's text.
 */
export function toJson(type: DuckDBType): ToJson {
  if (isJson(type)) return (value) => embedded(String(value));
  if (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY) return list(type.valueType);
  if (type.typeId === DuckDBTypeId.STRUCT) return struct(type);
  if (type.typeId === DuckDBTypeId.MAP) return map(type);
  return SCALARS.get(type.typeId) ?? quoted;
}

/** Returns the name of a type as results show it. */
export function typeName(type: DuckDBType): string {
  return isJson(type) ? "JSON" : type.toString();
}

export function isJson(type: DuckDBType): boolean {
  return type.typeId === DuckDBTypeId.VARCHAR && type.alias === "JSON";
}

function list(type: DuckDBType): ToJson {
  const item = toJson(type);
  return (value) =>
    `[${(value as DuckDBListValue | DuckDBArrayValue).items.map((each) => (each === null ? "null" : item(each))).join(",")}]`;
}

function struct(type: DuckDBStructType): ToJson {
  const keys = type.entryNames.map((name) => JSON.stringify(name));
  const items = type.entryTypes.map(toJson);
  return (value) => {
    const entries = (value as DuckDBStructValue).entries;
    const parts = type.entryNames.map((name, i) => {
      const each = entries[name] ?? null;
      return `${keys[i]}:${each === null ? "null" : items[i]?.(each)}`;
    });
    return `{${parts.join(",")}}`;
  };
}

function map(type: DuckDBMapType): ToJson {
  const key = toJson(type.keyType);
  const item = toJson(type.valueType);
  return (value) => {
    const parts = (value as DuckDBMapValue).entries.map((entry) => {
      const name = key(entry.key);
      return `${name.startsWith('"') ? name : JSON.stringify(name)}:${entry.value === null ? "null" : item(entry.value)}`;
    });
    return `{${parts.join(",")}}`;
  };
}

/** A decimal is a number if a double holds all its digits, otherwise a string. */
function decimal(value: DuckDBDecimalValue): string {
  const text = value.toString();
  return value.value <= SAFE && value.value >= -SAFE ? text : `"${text}"`;
}

/** Returns the shortest decimal that reads back as the same 32-bit float. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

// DuckDB's JSON also accepts NaN, Infinity and trailing commas, which RFC 8259 does not. Such a text is sent as a string.
const SUSPECT = /,\s*[}\]]|\b(?:nan|inf)/i;

function embedded(text: string): string {
  if (SUSPECT.test(text) && !parses(text)) return JSON.stringify(text);
  // Line breaks can only be between tokens. They would end a line of NDJSON.
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
