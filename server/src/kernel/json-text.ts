import { parseJson } from "./json-names.ts";
import { endOfString } from "./json-strings.ts";

/** Handles JSON exactly as it was sent: numbers that a double can't hold, and the depth of nesting. */

/** JSON text that is written unchanged (ECMAScript, `JSON.rawJSON`). */
export interface RawJson {
  readonly rawJSON: string;
}

/** Functions of the language that the type library lacks. */
export const exactJson = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/**
 * Matches a number that a double may not hold: at least sixteen digits, or an exponent of three digits, at a place
 * where a number can begin. It may also match text within quotes, which only costs time. Other numbers have at most 15
 * digits, which a double can hold (IEEE 754, DBL_DIG).
 */
const LONG_NUMBER = /[:,[\s]-?(?:\d[\d.]{15}|\d[\d.]*[eE][+-]?\d{3})/;
const NUMBER_ALONE = /^-?\d/;

/** Whether `JSON.parse` may change a number of this text. */
export function mayBeInexact(text: string): boolean {
  return LONG_NUMBER.test(text) || NUMBER_ALONE.test(text);
}

/**
 * Like `JSON.parse`, but numbers that a double can't hold become `RawJson`, which `JSON.stringify` writes unchanged. It
 * is recursive, so limit the depth of the text first (`isDeeperThan`).
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  return mayBeInexact(text) ? parseJson(text, exactNumber) : parseJson(text);
}

function exactNumber(source: string): number | RawJson {
  const value = Number(source);
  return isHeld(source, value) ? value : exactJson.rawJSON(source);
}

/** Whether writing the double again gives the value of the text. */
export function isHeld(source: string, value: number): boolean {
  if (source.length <= 15 && !/[eE]/.test(source)) return true;
  const shortest = String(value);
  return shortest === source || (Number.isFinite(value) && decimalOf(source) === decimalOf(shortest));
}

/** Whether the text is an integer that differs from both the exact value of the double and its usual notation. */
export function isRoundedInteger(source: string, value: number): boolean {
  if (!Number.isInteger(value) || isHeld(source, value)) return false;
  const decimal = decimalOf(source);
  return !decimal.includes("e-") && decimal !== decimalOf(String(BigInt(value)));
}

/** A double has at most this many characters in its exponent. */
const EXPONENT_CHARS_MAX = 12;

/**
 * Returns the same text for all notations of a number: its digits without zeros at both ends, and the power of ten of
 * the last digit.
 */
function decimalOf(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (exponent.length > EXPONENT_CHARS_MAX) return number;
  const digits = whole + fraction;
  let [from, to] = [0, digits.length];
  while (digits[from] === "0") from += 1;
  while (to > from && digits[to - 1] === "0") to -= 1;
  if (from === to) return "0";
  return `${sign}${digits.slice(from, to)}e${Number(exponent) - fraction.length + (digits.length - to)}`;
}

const QUOTE = 0x22;

/** Whether JSON text has more levels of objects and lists than this. For other text, the result means nothing. */
export function isDeeperThan(text: string, levels: number): boolean {
  if (text.length <= 2 * levels) return false; // Each level takes two characters.
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/**
 * Returns the text of each element of a list, without surrounding white space; undefined for text that is not a list or
 * not JSON.
 */
export function elementsOf(text: string): string[] | undefined {
  try {
    if (!Array.isArray(JSON.parse(text))) return undefined;
  } catch {
    return undefined;
  }
  const elements: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth === 1) from = at + 1;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    if ((code === 0x2c && depth === 1) || (code === 0x5d && depth === 0)) {
      elements.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return elements.length === 1 && elements[0] === "" ? [] : elements;
}

/** A member of the outermost object. */
export interface JsonMember {
  readonly name: string;
  /** Offset of the name's first quote. */
  readonly nameAt: number;
  /** The text of the value, without surrounding white space. */
  readonly value: string;
  /** Offset of the value's first character. */
  readonly valueAt: number;
}

/** Returns each member of an object, also those whose names repeat. For other text, the result means nothing. */
export function jsonMembersOf(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let depth = 0;
  let name: { text: string; at: number } | undefined;
  let from = 0;
  const end = (at: number): void => {
    const value = text.slice(from, at).trim();
    if (name !== undefined)
      members.push({ name: name.text, nameAt: name.at, value, valueAt: text.indexOf(value, from) });
    name = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') {
      const to = endOfString(text, at);
      if (depth === 1 && name === undefined) name = { text: JSON.parse(text.slice(at, to + 1)) as string, at };
      at = to;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === ":" && depth === 1) from = at + 1;
    else if (char === "," && depth === 1) end(at);
    else if ((char === "}" || char === "]") && --depth === 0) end(at);
  }
  return members;
}
