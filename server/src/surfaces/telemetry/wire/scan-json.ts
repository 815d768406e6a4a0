import { isHeld } from "#kernel/json-text.ts";

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OBJECT_START = 0x7b;
export const OBJECT_END = 0x7d;
export const ARRAY_START = 0x5b;
export const ARRAY_END = 0x5d;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const LETTER_D = 0x64;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER = 0x20;

/** A double may not hold a number with more bytes exactly. The parser handles such numbers. */
const INTEGER_BYTES_MAX = 15;
const NUMBER_BYTES_MAX = 25;
/** No double has more digits. Such a number is refused. */
const LONG_INTEGER_BYTES_MAX = 300;
/** The parser handles entries with more names, because the search for repeated names here is quadratic. */
const NAMES_MAX = 100;

/** The positions and lengths of the names in open objects: one stack for all levels. A walk is never interrupted. */
const NAMES = new Int32Array(2 * NAMES_MAX);

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NULL = Buffer.from("null");
const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/**
 * Walks over JSON text (RFC 8259) byte by byte. A step returns false for text that it does not support: invalid JSON,
 * or a rare form that the parser handles.
 */
export class Json {
  readonly bytes: Buffer;
  readonly end: number;
  at = 0;
  /** Whether the last string had an escape. */
  escaped = false;
  /** Whether a line break was passed since the last reset. */
  lineBreak = false;
  /** The number of members of free-form objects since the last reset. */
  keys = 0;
  #namesTop = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  byte(): number {
    return this.bytes[this.at] as number;
  }

  /** Skips white space and returns the next byte; undefined at the end, which equals no byte. */
  space(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at] as number;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      if (byte < 0x20 && byte !== 0x09) this.lineBreak = true;
      byte = bytes[++at] as number;
    }
    this.at = at;
    return byte;
  }

  /** Skips white space within a line. */
  blank(): void {
    const { bytes } = this;
    let { at } = this;
    while (bytes[at] === 0x20 || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
    this.at = at;
  }

  startsWith(text: Buffer): boolean {
    const { bytes, at } = this;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
    return true;
  }

  /** Moves from the opening quote past the closing one. Refuses escaped surrogates, since one may be alone. */
  string(): boolean {
    const { bytes, end } = this;
    let at = this.at + 1;
    this.escaped = false;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte < 0x20) return false;
      if (byte === BACKSLASH) {
        this.escaped = true;
        const length = this.#escape(at + 1);
        if (length === 0) return false;
        at += 1 + length;
      } else at += 1;
    }
    return false;
  }

  /** Returns the number of bytes of the escape after the backslash; 0 when it is not supported. */
  #escape(at: number): number {
    const { bytes } = this;
    const byte = bytes[at] as number;
    if (byte !== LETTER_U) return SIMPLE_ESCAPES.has(byte) ? 1 : 0;
    if (((bytes[at + 1] as number) | LOWER) === LETTER_D) return 0;
    for (let i = 1; i <= 4; i++) if (!isHex(bytes[at + i])) return 0;
    return 5;
  }

  /** Reads a number without an exponent that a double holds exactly. */
  number(): boolean {
    const { bytes } = this;
    const from = this.at;
    let at = from;
    if (bytes[at] === MINUS) at += 1;
    const digitsFrom = at;
    while (isDigit(bytes[at])) at += 1;
    const digits = at - digitsFrom;
    if (digits === 0 || digits > INTEGER_BYTES_MAX || (digits > 1 && bytes[digitsFrom] === ZERO)) return false;
    if (bytes[at] === DOT) {
      const fractionFrom = ++at;
      while (isDigit(bytes[at])) at += 1;
      if (at === fractionFrom) return false;
    }
    if (at - from > NUMBER_BYTES_MAX || ((bytes[at] as number) | LOWER) === 0x65) return false;
    this.at = at;
    return true;
  }

  /**
   * Reads a number whose value DuckDB's reader keeps. It rounds fractions that a double can't hold, but never whole
   * numbers.
   */
  #keptNumber(): boolean {
    const from = this.at;
    if (!this.number()) return this.#longInteger();
    if (this.at - from <= INTEGER_BYTES_MAX + 1) return true;
    const text = this.bytes.toString("latin1", from, this.at);
    return isHeld(text, Number(text));
  }

  #longInteger(): boolean {
    const { bytes } = this;
    const from = bytes[this.at] === MINUS ? this.at + 1 : this.at;
    let at = from;
    while (isDigit(bytes[at])) at += 1;
    if (at === from || at - from > LONG_INTEGER_BYTES_MAX || (bytes[from] === ZERO && at - from > 1)) return false;
    if (bytes[at] === DOT || ((bytes[at] as number) | LOWER) === 0x65) return false;
    this.at = at;
    return true;
  }

  #scalar(byte: number): boolean {
    if (byte === 0x74) return this.#word(TRUE);
    if (byte === 0x66) return this.#word(FALSE);
    if (byte === 0x6e) return this.#word(NULL);
    return this.#keptNumber();
  }

  #word(word: Buffer): boolean {
    if (!this.startsWith(word)) return false;
    this.at += word.length;
    return true;
  }

  /** Reads any value with at most this many nested levels. */
  value(levels: number): boolean {
    const byte = this.byte();
    if (byte === QUOTE) return this.string();
    if (byte === OBJECT_START) return levels > 0 && this.object(levels, false);
    if (byte === ARRAY_START) return levels > 0 && this.#array(levels);
    return this.#scalar(byte);
  }

  /** Moves from the opening brace past the closing one. Refuses repeated names, and counts the members in `keys`. */
  object(levels: number, stringsOnly: boolean): boolean {
    const base = this.#namesTop;
    const taken = this.#objectFrom(base, levels, stringsOnly);
    this.#namesTop = base;
    return taken;
  }

  #objectFrom(base: number, levels: number, stringsOnly: boolean): boolean {
    this.at += 1;
    let next = this.space();
    if (next === OBJECT_END) {
      this.at += 1;
      return true;
    }
    for (;;) {
      if (next !== QUOTE) return false;
      const from = this.at + 1;
      if (!this.string() || this.escaped || this.#repeated(base, from, this.at - 1)) return false;
      if (this.space() !== COLON) return false;
      this.at += 1;
      const first = this.space();
      if (first === QUOTE ? !this.string() : stringsOnly || !this.value(levels - 1)) return false;
      next = this.space();
      this.at += 1;
      if (next === OBJECT_END) return true;
      if (next !== COMMA) return false;
      next = this.space();
    }
  }

  /** Notes the position of a name. Returns true when the object already has that name, or has too many names. */
  #repeated(base: number, from: number, to: number): boolean {
    const { bytes } = this;
    const names = NAMES;
    const top = this.#namesTop;
    const length = to - from;
    this.keys += 1;
    if (this.keys > NAMES_MAX || top === names.length) return true;
    for (let i = base; i < top; i += 2) {
      if (names[i + 1] !== length) continue;
      const other = names[i] as number;
      let same = 0;
      while (same < length && bytes[other + same] === bytes[from + same]) same += 1;
      if (same === length) return true;
    }
    names[top] = from;
    names[top + 1] = length;
    this.#namesTop = top + 2;
    return false;
  }

  #array(levels: number): boolean {
    this.at += 1;
    if (this.space() === ARRAY_END) {
      this.at += 1;
      return true;
    }
    for (;;) {
      this.space();
      if (!this.value(levels - 1)) return false;
      const next = this.space();
      this.at += 1;
      if (next === ARRAY_END) return true;
      if (next !== COMMA) return false;
    }
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | LOWER;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
