import type { ColumnType, Field } from "../columns/types.ts";
import { bool, i16, i32, ref, refs, table, text, u8, type Table } from "./flatbuffer.ts";

/** Numbers of the union `Type` in Arrow's Schema.fbs. */
const TYPE = {
  integer: 2,
  float: 3,
  bytes: 4,
  text: 5,
  boolean: 6,
  decimal: 7,
  date: 8,
  time: 9,
  timestamp: 10,
  interval: 11,
  list: 12,
  struct: 13,
  map: 17,
} as const satisfies Record<ColumnType["kind"], number>;

const UNIT = { ms: 1, us: 2, ns: 3 } as const;
const FLOAT_PRECISION = { 32: 1, 64: 2 } as const;
const DATE_IN_DAYS = 0;
const MONTH_DAY_NANO = 2;
const LITTLE_ENDIAN = 0;
const DECIMAL_BITS = 128;
const TIME_BITS = 64;

/** The table `Schema` of Schema.fbs. */
export function schemaTable(fields: readonly Field[]): Table {
  return table(i16(LITTLE_ENDIAN), refs(fields.map(fieldTable)));
}

function fieldTable({ name, type, nullable }: Field): Table {
  const children = refs(childrenOf(type).map(fieldTable));
  return table(text(name), bool(nullable), u8(TYPE[type.kind]), ref(typeTable(type)), undefined, children);
}

/** Returns the child fields of a column, in order. */
export function childrenOf(type: ColumnType): readonly Field[] {
  if (type.kind === "list" || type.kind === "map") return [type.item];
  return type.kind === "struct" ? type.fields : [];
}

function typeTable(type: ColumnType): Table {
  switch (type.kind) {
    case "integer":
      return table(i32(type.bits), bool(type.signed));
    case "float":
      return table(i16(FLOAT_PRECISION[type.bits]));
    case "decimal":
      return table(i32(type.precision), i32(type.scale), i32(DECIMAL_BITS));
    case "date":
      return table(i16(DATE_IN_DAYS));
    case "time":
      return table(i16(UNIT[type.unit]), i32(TIME_BITS));
    case "timestamp":
      return table(i16(UNIT[type.unit]), type.utc ? text("UTC") : undefined);
    case "interval":
      return table(i16(MONTH_DAY_NANO));
    case "map":
      return table(bool(false)); // keys are not sorted
    case "boolean":
    case "text":
    case "bytes":
    case "list":
    case "struct":
      return table();
  }
}
