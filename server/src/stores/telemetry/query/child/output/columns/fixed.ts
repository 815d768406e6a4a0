import {
  DuckDBTypeId,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBTimeNSValue,
  type DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import { DECIMAL_DIGITS_MAX } from "./types.ts";

/** A type whose values all have the same number of bytes, little-endian as in Arrow. */
export interface Fixed {
  readonly width: number;
  readonly put: (view: DataView, at: number, value: DuckDBValue) => void;
}

const WHOLE_MAX = 10n ** BigInt(DECIMAL_DIGITS_MAX);
/** DuckDB's `infinity` of timestamps. The negative value is `-infinity`. */
const INFINITE = 9_223_372_036_854_775_807n;

const number = (width: number, put: (view: DataView, at: number, value: number) => void): Fixed => ({
  width,
  put: (view, at, value) => put(view, at, value as number),
});
const long = (read: (value: DuckDBValue) => bigint): Fixed => ({
  width: 8,
  put: (view, at, value) => view.setBigInt64(at, read(value), true),
});
const whole: Fixed = { width: 16, put: (view, at, value) => putWide(view, at, digitsChecked(value as bigint)) };

const FIXED: ReadonlyMap<DuckDBTypeId, Fixed> = new Map<DuckDBTypeId, Fixed>([
  [DuckDBTypeId.TINYINT, number(1, (view, at, value) => view.setInt8(at, value))],
  [DuckDBTypeId.UTINYINT, number(1, (view, at, value) => view.setUint8(at, value))],
  [DuckDBTypeId.SMALLINT, number(2, (view, at, value) => view.setInt16(at, value, true))],
  [DuckDBTypeId.USMALLINT, number(2, (view, at, value) => view.setUint16(at, value, true))],
  [DuckDBTypeId.INTEGER, number(4, (view, at, value) => view.setInt32(at, value, true))],
  [DuckDBTypeId.UINTEGER, number(4, (view, at, value) => view.setUint32(at, value, true))],
  [DuckDBTypeId.FLOAT, number(4, (view, at, value) => view.setFloat32(at, value, true))],
  [DuckDBTypeId.DOUBLE, number(8, (view, at, value) => view.setFloat64(at, value, true))],
  [DuckDBTypeId.BIGINT, long((value) => value as bigint)],
  [DuckDBTypeId.UBIGINT, long((value) => BigInt.asIntN(64, value as bigint))],
  [DuckDBTypeId.HUGEINT, whole],
  [DuckDBTypeId.UHUGEINT, whole],
  [
    DuckDBTypeId.DECIMAL,
    { width: 16, put: (view, at, value) => putWide(view, at, (value as DuckDBDecimalValue).value) },
  ],
  [DuckDBTypeId.DATE, { width: 4, put: (view, at, value) => view.setInt32(at, (value as DuckDBDateValue).days, true) }],
  [DuckDBTypeId.TIME, long((value) => (value as DuckDBTimeValue).micros)],
  [DuckDBTypeId.TIME_NS, long((value) => (value as DuckDBTimeNSValue).nanos)],
  [DuckDBTypeId.TIMESTAMP_S, long((value) => millisOf((value as DuckDBTimestampSecondsValue).seconds))],
  [DuckDBTypeId.TIMESTAMP_MS, long((value) => (value as DuckDBTimestampMillisecondsValue).millis)],
  [DuckDBTypeId.TIMESTAMP, long((value) => (value as DuckDBTimestampValue).micros)],
  [DuckDBTypeId.TIMESTAMP_NS, long((value) => (value as DuckDBTimestampNanosecondsValue).nanos)],
  [DuckDBTypeId.TIMESTAMP_TZ, long((value) => (value as DuckDBTimestampTZValue).micros)],
  [DuckDBTypeId.INTERVAL, { width: 16, put: (view, at, value) => putInterval(view, at, value as DuckDBIntervalValue) }],
]);

/** Returns the encoding of a type, or undefined when its values have different lengths. */
export function fixedOf(type: DuckDBType): Fixed | undefined {
  return FIXED.get(type.typeId);
}

/** 128 bits, two's complement. */
function putWide(view: DataView, at: number, value: bigint): void {
  view.setBigInt64(at, BigInt.asIntN(64, value), true);
  view.setBigInt64(at + 8, value >> 64n, true);
}

function digitsChecked(value: bigint): bigint {
  if (value < WHOLE_MAX && value > -WHOLE_MAX) return value;
  const detail = `a whole number of the result has more than ${DECIMAL_DIGITS_MAX} digits, which this format can't store; cast the column to VARCHAR or DOUBLE`;
  throw new Failure("query_failed", detail);
}

function millisOf(seconds: bigint): bigint {
  return seconds === INFINITE || seconds === -INFINITE ? seconds : seconds * 1000n;
}

/** Arrow's MonthDayNano: months and days in 32 bits each, nanoseconds in 64. */
function putInterval(view: DataView, at: number, { months, days, micros }: DuckDBIntervalValue): void {
  const nanos = micros * 1000n;
  if (BigInt.asIntN(64, nanos) !== nanos) {
    const detail = "an interval of the result is too long for this format; cast the column to VARCHAR";
    throw new Failure("query_failed", detail);
  }
  view.setInt32(at, months, true);
  view.setInt32(at + 4, days, true);
  view.setBigInt64(at + 8, nanos, true);
}
