import { isUtf8 } from "node:buffer";
import { Problem } from "#kernel/problem.ts";
import { parseJson } from "#kernel/json-names.ts";
import { exactJson, type RawJson } from "#kernel/json-text.ts";
import { isObject, type JsonObject } from "../check.ts";
import { MESSAGES_DEPTH_MAX, ValueBudget } from "../protobuf/budget.ts";
import { withoutMark } from "../mark.ts";
import type { Field, MessageSchema, Scalar } from "../protobuf/schema.ts";

type Message = Record<string, unknown>;

/** A number of 16 digits or more outside quotes, which a double may not hold. A false match costs only time. */
const LONG_INTEGER = /[:,[]\s*-?\d{16}/;
const INTEGER = /^-?\d{1,20}$/;
const UNSIGNED = /^\d{1,20}$/;
const DOUBLE = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = new Set(["NaN", "Infinity", "-Infinity"]);
const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Reads a message in OTLP's JSON encoding: protobuf's mapping to JSON with identifiers in hexadecimal and enumerations as
 * integers (OTLP specification, "JSON Protobuf Encoding"). Unknown members are ignored, null is absent.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export function decodeJson(schema: MessageSchema, body: Buffer): Message {
  if (!isUtf8(body)) throw new Problem("invalid_body", "cannot read the body: it is not valid UTF-8");
  const value = parse(withoutMark(body).toString("utf8"));
  if (!isObject(value)) throw mistyped(schema.name, "the body", "a JSON object");
  return decode(schema, value, 0, new ValueBudget());
}

function parse(text: string): unknown {
  try {
    return LONG_INTEGER.test(text) ? parseJson(text, exactInteger) : JSON.parse(text);
  } catch {
    throw new Problem("invalid_body", "cannot read the body: it is not valid JSON");
  }
}

function exactInteger(source: string): number | RawJson {
  const value = Number(source);
  return Number.isSafeInteger(value) || !INTEGER.test(source) ? value : exactJson.rawJSON(source);
}

function decode(schema: MessageSchema, value: JsonObject, depth: number, budget: ValueBudget): Message {
  budget.take();
  const message: Message = {};
  for (const name in value) {
    const field = schema.byName.get(name);
    const member = value[name];
    if (field === undefined || member === null) continue;
    const one = (item: unknown): unknown => valueOf({ schema, field, depth, budget }, item);
    if (!field.repeated) message[name] = one(member);
    else if (Array.isArray(member)) message[name] = member.map(one);
    else throw mistyped(schema.name, name, "an array");
  }
  return message;
}

interface Place {
  readonly schema: MessageSchema;
  readonly field: Field;
  readonly depth: number;
  readonly budget: ValueBudget;
}

function valueOf({ schema, field, depth, budget }: Place, item: unknown): unknown {
  if (typeof field.type === "function") {
    if (!isObject(item)) throw mistyped(schema.name, field.name, "an object");
    return depth >= MESSAGES_DEPTH_MAX ? {} : decode(field.type(), item, depth + 1, budget);
  }
  if (field.repeated) budget.take();
  const value = SCALARS[field.type](item);
  if (value === undefined) throw mistyped(schema.name, field.name, EXPECTED[field.type]);
  return value;
}

/** Each parser returns undefined for a value of another type. */
const SCALARS: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === "string" ? value.toWellFormed() : undefined),
  bool: (value) => (typeof value === "boolean" ? value : undefined),
  double: doubleOf,
  int64: (value) => narrowed(integerOf(value, INTEGER, -INT64_MAX - 1n, INT64_MAX)),
  sint32: int32Of,
  sint64: (value) => narrowed(integerOf(value, INTEGER, -INT64_MAX - 1n, INT64_MAX)),
  sample: doubleOf,
  int32: int32Of,
  nanos: (value) => integerOf(value, UNSIGNED, 0n, UINT64_MAX),
  fixedCount: countOf,
  varintCount: countOf,
  sfixed64: (value) => narrowed(integerOf(value, INTEGER, -INT64_MAX - 1n, INT64_MAX)),
  id: (value) => (typeof value === "string" ? value.toWellFormed().toLowerCase() : undefined),
  bytes: (value) => (typeof value === "string" ? value.toWellFormed() : undefined),
};

const INTEGER_64 = "an integer of 64 bits, as a number or a string of digits";
const EXPECTED: Readonly<Record<Scalar, string>> = {
  string: "a string",
  bool: "true or false",
  double: 'a number, "NaN", "Infinity" or "-Infinity"',
  int64: INTEGER_64,
  sint32: "an integer of 32 bits",
  sint64: INTEGER_64,
  sample: "a number",
  int32: "an integer of 32 bits",
  nanos: INTEGER_64,
  fixedCount: INTEGER_64,
  varintCount: INTEGER_64,
  sfixed64: INTEGER_64,
  id: "a string of hexadecimal digits",
  bytes: "a string in base64",
};

function doubleOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (exactJson.isRawJSON(value)) return Number(value.rawJSON);
  if (typeof value !== "string") return undefined;
  return NOT_FINITE.has(value) || DOUBLE.test(value) ? Number(value) : undefined;
}

function int32Of(value: unknown): number | undefined {
  const number = typeof value === "string" && INTEGER.test(value) ? Number(value) : value;
  const fits = Number.isInteger(number) && Math.abs(number as number) < 2 ** 32;
  return fits ? (number as number) : undefined;
}

function countOf(value: unknown): number | undefined {
  return asNumber(integerOf(value, UNSIGNED, 0n, UINT64_MAX));
}

function integerOf(value: unknown, form: RegExp, min: bigint, max: bigint): bigint | undefined {
  const text = exactJson.isRawJSON(value) ? value.rawJSON : value;
  if (typeof text === "number" ? !Number.isInteger(text) : typeof text !== "string" || !form.test(text)) {
    return undefined;
  }
  const integer = BigInt(text as string | number);
  return integer >= min && integer <= max ? integer : undefined;
}

function asNumber(integer: bigint | undefined): number | undefined {
  return integer === undefined ? undefined : Number(integer);
}

function narrowed(integer: bigint | undefined): number | bigint | undefined {
  const near = asNumber(integer);
  return near === undefined || Number.isSafeInteger(near) ? near : integer;
}

function mistyped(message: string, member: string, expected: string): Problem {
  return new Problem("invalid_body", `cannot read the body: ${member} of ${message} must be ${expected}`);
}
