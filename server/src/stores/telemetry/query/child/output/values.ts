import {
  DuckDBTypeId,
  type DuckDBArrayType,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDecimalValue,
  type DuckDBListType,
  type DuckDBListValue,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { isoFromMicros, isoFromNanos } from "./timestamps.ts";

/** Renders one value that is not NULL as JSON text. */
export type ToJson = (value: DuckDBValue) => string;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const quoted: ToJson = (value) => JSON.stringify(String(value));
const number: ToJson = (value) => (Number.isFinite(value) ? String(value) : "null");
const integer: ToJson = (value) => {
  const text = String(value);
  return typeof value === "bigint" && (value > SAFE || value < -SAFE) ? `"${text}"` : text;
};

/**
 * The JSON form of each type. Whole numbers and decimals beyond what a double holds exactly are strings, NaN and the
 * infinities null, times ISO 8601 in UTC, maps and structs objects, blobs base64; anything else is DuckDB's text.
 */
export function toJson(type: DuckDBType): ToJson {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
      return String;
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.BIGNUM:
      return integer;
    case DuckDBTypeId.FLOAT:
      return (value) => number(shortestFloat(Number(value)));
    case DuckDBTypeId.DOUBLE:
      return number;
    case DuckDBTypeId.DECIMAL:
      return (value) => decimal(value as DuckDBDecimalValue);
    case DuckDBTypeId.VARCHAR:
      return isJson(type) ? (value) => embedded(value as string) : (value) => JSON.stringify(value);
    case DuckDBTypeId.BLOB:
      return (value) => `"${Buffer.from((value as DuckDBBlobValue).bytes).toString("base64")}"`;
    case DuckDBTypeId.LIST:
      return list((type as DuckDBListType).valueType);
    case DuckDBTypeId.ARRAY:
      return list((type as DuckDBArrayType).valueType);
    case DuckDBTypeId.STRUCT:
      return struct(type as DuckDBStructType);
    case DuckDBTypeId.MAP:
      return map(type as DuckDBMapType);
    default:
      return timestamp(type) ?? quoted;
  }
}

/** The name of a type as a result shows it. */
export function typeName(type: DuckDBType): string {
  return isJson(type) ? "JSON" : type.toString();
}

export function isJson(type: DuckDBType): boolean {
  return type.typeId === DuckDBTypeId.VARCHAR && type.alias === "JSON";
}

function timestamp(type: DuckDBType): ToJson | undefined {
  switch (type.typeId) {
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return (value) => `"${isoFromMicros((value as DuckDBTimestampValue).micros)}"`;
    case DuckDBTypeId.TIMESTAMP_S:
      return (value) => `"${isoFromMicros((value as DuckDBTimestampSecondsValue).seconds * 1_000_000n)}"`;
    case DuckDBTypeId.TIMESTAMP_MS:
      return (value) => `"${isoFromMicros((value as DuckDBTimestampMillisecondsValue).millis * 1000n)}"`;
    case DuckDBTypeId.TIMESTAMP_NS:
      return (value) => `"${isoFromNanos((value as DuckDBTimestampNanosecondsValue).nanos)}"`;
    default:
      return undefined;
  }
}

function list(type: DuckDBType): ToJson {
  const item = toJson(type);
  return (value) => `[${(value as DuckDBListValue | DuckDBArrayValue).items.map((each) => (each === null ? "null" : item(each))).join(",")}]`;
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

/** A decimal is a number where a double holds its digits, a string of all of them otherwise. */
function decimal(value: DuckDBDecimalValue): string {
  const text = value.toString();
  return value.value <= SAFE && value.value >= -SAFE ? text : `"${text}"`;
}

/** The shortest decimal that reads back as the same 32-bit float. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

// DuckDB's JSON also takes NaN, Infinity and trailing commas (no JSON, RFC 8259): such a text is sent as a string.
const SUSPECT = /,\s*[}\]]|\b(?:nan|inf)/i;

function embedded(text: string): string {
  if (SUSPECT.test(text) && !parses(text)) return JSON.stringify(text);
  // Line breaks stand only between tokens, and would end a line of NDJSON.
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
