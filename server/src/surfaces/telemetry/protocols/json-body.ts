import { isUtf8 } from "node:buffer";
import { exceeds } from "#kernel/json-size.ts";
import { ATTRIBUTES_DEPTH_MAX, OTLP_VALUES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { parseOrdered, SURROGATE_ESCAPE, wellFormed, whereNotJson } from "../wire/entry.ts";
import { withoutMark } from "../wire/mark.ts";

/** The attributes of an entry, and the levels around them. */
const DEPTH_MAX = ATTRIBUTES_DEPTH_MAX + 8;
const NEWLINE = 0x0a;

/**
 * Parses a body that is one JSON value, after its values and levels were counted: a few bytes can take much memory.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export function jsonBodyOf(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Problem("invalid_body", "cannot read the body: it is not valid UTF-8");
  const fault = exceeds(body, { depthMax: DEPTH_MAX, valuesMax: OTLP_VALUES_MAX });
  if (fault === "depth") throw new Problem("invalid_body", `The body is nested deeper than ${DEPTH_MAX} levels.`);
  if (fault !== undefined) {
    throw new Problem("body_too_large", `The body has more than ${OTLP_VALUES_MAX} values; send fewer at a time.`);
  }
  try {
    return parsed(withoutMark(body).toString("utf8"));
  } catch (error) {
    throw new Problem("invalid_body", `cannot read the body: it is not valid JSON${whereNotJson(error)}`);
  }
}

/** Parses a text of limited length; undefined when it is not JSON, or is nested too deeply. */
export function jsonLineOf(line: Buffer | string): unknown {
  const bytes = typeof line === "string" ? Buffer.from(line) : line;
  if (exceeds(bytes, { depthMax: DEPTH_MAX, valuesMax: OTLP_VALUES_MAX }) !== undefined) return undefined;
  try {
    return parsed(typeof line === "string" ? line : line.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Strings that are not well-formed can't be stored. They can only come from escapes. */
function parsed(text: string): unknown {
  const value = parseOrdered(text);
  return SURROGATE_ESCAPE.test(text) ? wellFormed(value, 0) : value;
}

/** Yields the lines that are not blank, without their ends, and their numbers from 1. */
export function* linesIn(body: Buffer): Generator<{ readonly bytes: Buffer; readonly number: number }, undefined> {
  let number = 0;
  for (let start = 0; start < body.length;) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline < 0 ? body.length : newline;
    const bytes = body.subarray(start, end);
    number += 1;
    if (!isBlank(bytes)) yield { bytes, number };
    start = end + 1;
  }
  return undefined;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * Yields JSON objects that follow one another, with anything or nothing between them. The last one may be incomplete,
 * and the parser then refuses it.
 */
export function* objectsIn(body: Buffer): Generator<Buffer, undefined> {
  let [depth, start] = [0, 0];
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE && depth > 0) at = endOfString(body, at);
    else if (byte === OPEN && depth++ === 0) yield* between(body, start, (start = at));
    else if (byte === CLOSE && depth > 0 && --depth === 0) yield body.subarray(start, (start = at + 1));
  }
  yield* between(body, start, body.length);
  return undefined;
}

/** Yields the bytes between two objects, unless they are blank, so that a parser refuses them. */
function* between(body: Buffer, start: number, end: number): Generator<Buffer, undefined> {
  const bytes = body.subarray(start, end);
  if (!bytes.every((byte) => byte <= 0x20)) yield bytes;
  return undefined;
}

/** Returns the position of the closing quote, or the end of the body. */
function endOfString(body: Buffer, from: number): number {
  for (let end = body.indexOf(QUOTE, from + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (body[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return body.length;
}
