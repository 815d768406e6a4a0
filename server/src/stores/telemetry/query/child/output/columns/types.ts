import { DuckDBTypeId, type DuckDBType } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";

export interface Field {
  readonly name: string;
  readonly type: ColumnType;
  /** False where the format requires a value: keys and entries of maps. */
  readonly nullable: boolean;
}

/** The types that both Arrow and Parquet have. A map is a list of entries with a key and a value. */
export type ColumnType =
  | { readonly kind: "boolean" | "date" | "interval" | "text" | "bytes" }
  | { readonly kind: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "time"; readonly unit: "us" | "ns" }
  | { readonly kind: "timestamp"; readonly unit: "ms" | "us" | "ns"; readonly utc: boolean }
  | { readonly kind: "list" | "map"; readonly item: Field }
  | { readonly kind: "struct"; readonly fields: readonly Field[] };

/** The most digits of a decimal, in DuckDB and in Arrow's Decimal128. */
export const DECIMAL_DIGITS_MAX = 38;

const integer = (bits: 8 | 16 | 32 | 64, signed: boolean): ColumnType => ({ kind: "integer", bits, signed });
const timestamp = (unit: "ms" | "us" | "ns", utc = false): ColumnType => ({ kind: "timestamp", unit, utc });
/** Sums of whole numbers have these types, so they must stay numbers. The few values with 39 digits are refused. */
const whole: ColumnType = { kind: "decimal", precision: DECIMAL_DIGITS_MAX, scale: 0 };

const SCALARS: ReadonlyMap<DuckDBTypeId, ColumnType> = new Map<DuckDBTypeId, ColumnType>([
  [DuckDBTypeId.BOOLEAN, { kind: "boolean" }],
  [DuckDBTypeId.TINYINT, integer(8, true)],
  [DuckDBTypeId.SMALLINT, integer(16, true)],
  [DuckDBTypeId.INTEGER, integer(32, true)],
  [DuckDBTypeId.BIGINT, integer(64, true)],
  [DuckDBTypeId.UTINYINT, integer(8, false)],
  [DuckDBTypeId.USMALLINT, integer(16, false)],
  [DuckDBTypeId.UINTEGER, integer(32, false)],
  [DuckDBTypeId.UBIGINT, integer(64, false)],
  [DuckDBTypeId.HUGEINT, whole],
  [DuckDBTypeId.UHUGEINT, whole],
  [DuckDBTypeId.FLOAT, { kind: "float", bits: 32 }],
  [DuckDBTypeId.DOUBLE, { kind: "float", bits: 64 }],
  [DuckDBTypeId.DATE, { kind: "date" }],
  [DuckDBTypeId.TIME, { kind: "time", unit: "us" }],
  [DuckDBTypeId.TIME_NS, { kind: "time", unit: "ns" }],
  [DuckDBTypeId.TIMESTAMP_S, timestamp("ms")],
  [DuckDBTypeId.TIMESTAMP_MS, timestamp("ms")],
  [DuckDBTypeId.TIMESTAMP, timestamp("us")],
  [DuckDBTypeId.TIMESTAMP_NS, timestamp("ns")],
  [DuckDBTypeId.TIMESTAMP_TZ, timestamp("us", true)],
  [DuckDBTypeId.INTERVAL, { kind: "interval" }],
  [DuckDBTypeId.BLOB, { kind: "bytes" }],
]);

/**
 * Returns the columnar form of a DuckDB type. Types without a counterpart, and types in `asText`, become text.
 * @throws Failure for a row whose fields have no names
 */
export function columnType(type: DuckDBType, asText: ReadonlySet<DuckDBTypeId>): ColumnType {
  const field = (name: string, of: DuckDBType, nullable = true): Field => ({
    name,
    type: columnType(of, asText),
    nullable,
  });
  if (type.typeId === DuckDBTypeId.DECIMAL) return { kind: "decimal", precision: type.width, scale: type.scale };
  if (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY)
    return { kind: "list", item: field("item", type.valueType) };
  if (type.typeId === DuckDBTypeId.MAP) {
    const entry = [field("key", type.keyType, false), field("value", type.valueType)];
    return { kind: "map", item: { name: "entries", type: { kind: "struct", fields: entry }, nullable: false } };
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    if (new Set(type.entryNames).size < type.entryNames.length) throw nameless();
    return { kind: "struct", fields: type.entryTypes.map((each, i) => field(type.entryNames[i] ?? "", each)) };
  }
  return (asText.has(type.typeId) ? undefined : SCALARS.get(type.typeId)) ?? { kind: "text" };
}

function nameless(): Failure {
  return new Failure(
    "query_failed",
    "a column of the result is a row whose fields have no names, which this format can't store; name them: {'a': 1, 'b': 2} instead of row(1, 2)",
  );
}
