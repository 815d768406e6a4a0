import { Problem } from "#kernel/problem.ts";
import { MESSAGES_DEPTH_MAX, ValueBudget } from "./budget.ts";
import type { Field, MessageSchema, Scalar } from "./schema.ts";

/** Wire types of the encoding (protobuf.dev, "Encoding"). Groups (3, 4) are refused. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const WIRE_TYPES: Readonly<Record<Scalar, number>> = {
  string: LENGTH,
  bool: VARINT,
  double: FIXED64,
  sample: FIXED64,
  int64: VARINT,
  sint32: VARINT,
  sint64: VARINT,
  int32: VARINT,
  nanos: FIXED64,
  fixedCount: FIXED64,
  varintCount: VARINT,
  sfixed64: FIXED64,
  id: LENGTH,
  bytes: LENGTH,
};

/** The value that ends a series (prometheus/model/value/value.go, `StaleNaN`). */
const STALE_NAN = 0x7ff0000000000002n;

const FIELD_MAX = 2 ** 29 - 1;
const VARINT_BYTES_MAX = 10;

type Message = Record<string, unknown>;

/**
 * Decodes a message in protobuf's binary encoding. Skips unknown fields, and fields with a wrong wire type.
 * @throws Problem `invalid_body` when the bytes are not such a message, `body_too_large` when they have too many values
 */
export function decodeProtobuf(schema: MessageSchema, body: Buffer): Message {
  return new Reader(body).message(schema, body.length, 0);
}

class Reader {
  readonly #bytes: Buffer;
  readonly #budget = new ValueBudget();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  message(schema: MessageSchema, end: number, depth: number): Message {
    this.#budget.take();
    const message: Message = {};
    while (this.#at < end) {
      const key = this.#varint(end);
      const number = Math.floor(key / 8);
      if (number < 1 || number > FIELD_MAX) throw malformed();
      const field = schema.byNumber.get(number);
      if (field === undefined || !this.#field(message, field, key % 8, { end, depth })) this.#skip(key % 8, end);
    }
    return message;
  }

  /** Returns false, having read nothing, when the wire type is wrong for the field. */
  #field(message: Message, field: Field, wire: number, { end, depth }: { end: number; depth: number }): boolean {
    if (typeof field.type === "function") {
      if (wire !== LENGTH) return false;
      const inner = this.#length(end);
      if (depth >= MESSAGES_DEPTH_MAX) this.#at = inner;
      else put(message, field, this.message(field.type(), inner, depth + 1));
      return true;
    }
    const own = WIRE_TYPES[field.type];
    if (wire === own) {
      if (field.repeated) this.#budget.take();
      put(message, field, this.#scalar(field.type, end));
      return true;
    }
    if (wire !== LENGTH || !field.repeated) return false;
    const packed = this.#length(end);
    while (this.#at < packed) {
      this.#budget.take();
      put(message, field, this.#scalar(field.type, packed));
    }
    return true;
  }

  #scalar(type: Scalar, end: number): unknown {
    switch (type) {
      case "bool":
        return this.#varint64(end) !== 0n;
      case "int64":
        return this.#int64(end);
      case "varintCount":
        return this.#varint(end);
      case "int32":
        return Number(BigInt.asIntN(32, this.#varint64(end)));
      case "sint32":
        return unzigzag(Number(BigInt.asUintN(32, this.#varint64(end))));
      case "sint64":
        return this.#sint64(end);
      case "sample":
        return this.#sample(end);
      case "double":
        return this.#bytes.readDoubleLE(this.#take(8, end));
      case "nanos":
        return this.#bytes.readBigUInt64LE(this.#take(8, end));
      case "fixedCount":
        return Number(this.#bytes.readBigUInt64LE(this.#take(8, end)));
      case "sfixed64":
        return safe(this.#bytes.readBigInt64LE(this.#take(8, end)));
      case "string":
        return this.#text("utf8", end);
      case "id":
        return this.#text("hex", end);
      case "bytes":
        return this.#text("base64", end);
    }
  }

  #text(encoding: "utf8" | "hex" | "base64", end: number): string {
    const inner = this.#length(end);
    const text = this.#bytes.toString(encoding, this.#at, inner);
    this.#at = inner;
    return text;
  }

  /** Returns the end of a length-delimited field. */
  #length(end: number): number {
    const length = this.#varint(end);
    if (length > end - this.#at) throw malformed();
    return this.#at + length;
  }

  #take(bytes: number, end: number): number {
    const at = this.#at;
    if (bytes > end - at) throw malformed();
    this.#at += bytes;
    return at;
  }

  /** Values above 2^53 become the nearest double. */
  #varint(end: number): number {
    let value = 0;
    let factor = 1;
    for (let read = 0; read < VARINT_BYTES_MAX; read++) {
      const byte = this.#bytes[this.#take(1, end)] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw malformed();
  }

  #int64(end: number): number | bigint {
    const start = this.#at;
    const near = this.#varint(end);
    if (near <= Number.MAX_SAFE_INTEGER) return near;
    this.#at = start;
    return safe(BigInt.asIntN(64, this.#varint64(end)));
  }

  #sint64(end: number): number {
    const value = this.#varint64(end);
    return Number(value & 1n ? -(value >> 1n) - 1n : value >> 1n);
  }

  /** Compares the bytes: as a number, the mark is like any other NaN. */
  #sample(end: number): number | null {
    const at = this.#take(8, end);
    const value = this.#bytes.readDoubleLE(at);
    return Number.isNaN(value) && this.#bytes.readBigUInt64LE(at) === STALE_NAN ? null : value;
  }

  #varint64(end: number): bigint {
    const start = this.#at;
    const near = this.#varint(end);
    if (near <= Number.MAX_SAFE_INTEGER) return BigInt(near);
    let value = 0n;
    for (let at = this.#at - 1; at >= start; at--) value = (value << 7n) | BigInt((this.#bytes[at] ?? 0) & 0x7f);
    return BigInt.asUintN(64, value);
  }

  #skip(wire: number, end: number): void {
    if (wire === VARINT) this.#varint(end);
    else if (wire === FIXED64) this.#take(8, end);
    else if (wire === FIXED32) this.#take(4, end);
    else if (wire === LENGTH) this.#at = this.#length(end);
    else throw malformed();
  }
}

function put(message: Message, field: Field, value: unknown): void {
  if (!field.repeated) {
    message[field.name] = value;
    return;
  }
  const list = message[field.name];
  if (Array.isArray(list)) list.push(value);
  else message[field.name] = [value];
}

function safe(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function malformed(): Problem {
  return new Problem("invalid_body", "cannot read the body: it is not a protobuf message of this service");
}
