import type { ColumnType, Field } from "../columns/types.ts";
import { bool, i32, i8, struct, text, type Struct, type Value } from "./thrift.ts";

/** The physical type of a value in the file: Parquet's `Type`, and the size if it is fixed. */
export interface Physical {
  readonly type: number;
  readonly width?: number;
}

const BOOLEAN: Physical = { type: 0 };
const INT32: Physical = { type: 1, width: 4 };
const INT64: Physical = { type: 2, width: 8 };
const FLOAT: Physical = { type: 4, width: 4 };
const DOUBLE: Physical = { type: 5, width: 8 };
const BYTE_ARRAY: Physical = { type: 6 };
const DECIMAL_BYTES = 16;
export const FIXED_BYTES = 7;
const DECIMAL128: Physical = { type: FIXED_BYTES, width: DECIMAL_BYTES };

const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;
/** `ConvertedType`: for readers that do not know `LogicalType`. */
const CONVERTED = { utf8: 0, map: 1, list: 3, decimal: 5, date: 6, timestampMillis: 9, timestampMicros: 10 } as const;
const UNSIGNED = { 8: 11, 16: 12, 32: 13, 64: 14 } as const;
const SIGNED = { 8: 15, 16: 16, 32: 17, 64: 18 } as const;

/** Returns the schema for the footer: the root, then all elements below it, depth first. */
export function schemaElements(fields: readonly Field[]): Struct[] {
  const root = struct({ 4: text("schema"), 5: i32(fields.length) });
  return [root, ...fields.flatMap(elementsOf)];
}

function elementsOf({ name, type, nullable }: Field): Struct[] {
  const head = { 3: i32(nullable ? REPETITION.optional : REPETITION.required), 4: text(name) };
  if (type.kind === "list" || type.kind === "map") return listElements(head, type);
  if (type.kind === "struct")
    return [struct({ ...head, 5: i32(type.fields.length) }), ...type.fields.flatMap(elementsOf)];
  const { type: physical, width } = physicalOf(type);
  const length = physical === FIXED_BYTES && width !== undefined ? i32(width) : undefined;
  return [struct({ 1: i32(physical), 2: length, ...head, ...annotation(type) })];
}

/** "Nested Types": an optional group, a repeated group, and its elements. */
function listElements(
  head: Record<number, Value>,
  { kind, item }: Extract<ColumnType, { kind: "list" | "map" }>,
): Struct[] {
  const isMap = kind === "map";
  const inner = isMap && item.type.kind === "struct" ? item.type.fields : [{ ...item, name: "element" }];
  const meaning = struct({ [isMap ? 2 : 3]: struct() });
  return [
    struct({ ...head, 5: i32(1), 6: i32(isMap ? CONVERTED.map : CONVERTED.list), 10: meaning }),
    struct({ 3: i32(REPETITION.repeated), 4: text(isMap ? "key_value" : "list"), 5: i32(inner.length) }),
    ...inner.flatMap(elementsOf),
  ];
}

export function physicalOf(type: ColumnType): Physical {
  switch (type.kind) {
    case "boolean":
      return BOOLEAN;
    case "integer":
      return type.bits === 64 ? INT64 : INT32;
    case "float":
      return type.bits === 64 ? DOUBLE : FLOAT;
    case "decimal":
      return DECIMAL128;
    case "date":
      return INT32;
    case "time":
    case "timestamp":
      return INT64;
    case "text":
    case "bytes":
    case "interval":
    case "list":
    case "map":
    case "struct":
      return BYTE_ARRAY;
  }
}

/** Returns the members 6, 7, 8 and 10 of `SchemaElement`, which give the logical type. */
function annotation(type: ColumnType): Record<number, Value> {
  if (type.kind === "text") return { 6: i32(CONVERTED.utf8), 10: struct({ 1: struct() }) };
  if (type.kind === "date") return { 6: i32(CONVERTED.date), 10: struct({ 6: struct() }) };
  if (type.kind === "time") return { 10: struct({ 7: struct({ 1: bool(false), 2: unitOf(type.unit) }) }) };
  if (type.kind === "integer") {
    const { bits, signed } = type;
    const meaning = struct({ 10: struct({ 1: i8(bits), 2: bool(signed) }) });
    return { 6: i32((signed ? SIGNED : UNSIGNED)[bits]), 10: meaning };
  }
  if (type.kind === "decimal") {
    const { precision, scale } = type;
    const meaning = struct({ 5: struct({ 1: i32(scale), 2: i32(precision) }) });
    return { 6: i32(CONVERTED.decimal), 7: i32(scale), 8: i32(precision), 10: meaning };
  }
  if (type.kind !== "timestamp") return {};
  const meaning = struct({ 8: struct({ 1: bool(type.utc), 2: unitOf(type.unit) }) });
  if (!type.utc || type.unit === "ns") return { 10: meaning }; // the older annotation means UTC
  return { 6: i32(type.unit === "us" ? CONVERTED.timestampMicros : CONVERTED.timestampMillis), 10: meaning };
}

function unitOf(unit: "ms" | "us" | "ns"): Struct {
  return struct({ [{ ms: 1, us: 2, ns: 3 }[unit]]: struct() });
}
