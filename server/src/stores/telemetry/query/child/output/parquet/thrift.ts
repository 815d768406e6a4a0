import { Bytes } from "../columns/bytes.ts";

/** The values of Thrift's compact protocol that Parquet's metadata needs. */
export type Value =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "i8" | "i16" | "i32" | "i64"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "list"; readonly of: Value["kind"]; readonly items: readonly Value[] }
  | Struct;

/** Members by their number. */
export type Struct = { readonly kind: "struct"; readonly members: Readonly<Record<number, Value | undefined>> };

export const bool = (value: boolean): Value => ({ kind: "bool", value });
export const i8 = (value: number): Value => ({ kind: "i8", value });
export const i32 = (value: number): Value => ({ kind: "i32", value });
export const i64 = (value: number): Value => ({ kind: "i64", value });
export const text = (value: string): Value => ({ kind: "text", value });
export const list = (of: Value["kind"], items: readonly Value[]): Value => ({ kind: "list", of, items });
export const struct = (members: Struct["members"] = {}): Struct => ({ kind: "struct", members });

/** Type codes. A boolean member has its value in the code: 1 is true, 2 is false. */
const CODES = { bool: 1, i8: 3, i16: 4, i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const;
const FALSE = 2;
const STOP = 0;
const SHORT_LIST_MAX = 14;

export function thrift(value: Struct): Buffer {
  const bytes = new Bytes();
  write(bytes, value);
  return bytes.taken();
}

function write(bytes: Bytes, value: Value): void {
  switch (value.kind) {
    case "bool":
      return byte(bytes, value.value ? CODES.bool : FALSE);
    case "i8":
      return byte(bytes, value.value);
    case "i16":
    case "i32":
    case "i64":
      return varint(bytes, zigzag(value.value));
    case "text":
      return writeText(bytes, value.value);
    case "list":
      if (value.items.length <= SHORT_LIST_MAX) byte(bytes, (value.items.length << 4) | CODES[value.of]);
      else {
        byte(bytes, 0xf0 | CODES[value.of]);
        varint(bytes, BigInt(value.items.length));
      }
      for (const item of value.items) write(bytes, item);
      return;
    case "struct":
      return writeStruct(bytes, value);
  }
}

/** Before each member, a byte has its type and the difference to the previous member's number. */
function writeStruct(bytes: Bytes, { members }: Struct): void {
  let last = 0;
  for (const [key, member] of Object.entries(members)) {
    if (member === undefined) continue;
    const code = member.kind === "bool" && !member.value ? FALSE : CODES[member.kind];
    byte(bytes, ((Number(key) - last) << 4) | code);
    last = Number(key);
    if (member.kind !== "bool") write(bytes, member);
  }
  byte(bytes, STOP);
}

function writeText(bytes: Bytes, value: string): void {
  const content = Buffer.from(value);
  varint(bytes, BigInt(content.length));
  bytes.append(content);
}

function byte(bytes: Bytes, value: number): void {
  const at = bytes.extend(1);
  bytes.view.setUint8(at, value & 0xff);
}

function zigzag(value: number): bigint {
  return value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value);
}

/** Writes seven bits in each byte, the lowest first. The eighth bit means that more bytes follow. */
function varint(bytes: Bytes, value: bigint): void {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) byte(bytes, Number(rest & 0x7fn) | 0x80);
  byte(bytes, Number(rest));
}
