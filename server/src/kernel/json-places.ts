import { exactJson, isHeld, type RawJson } from "./json-text.ts";

/** Finds values in JSON text (RFC 8259) in one pass over its bytes. Parsing a large text costs several times more. */

/**
 * The value at a path. Strings, numbers, booleans and null are decoded. A number that a double can't hold is `RawJson`.
 * An object or a list is its text.
 */
export type Found = string | number | boolean | null | RawJson | Compound;

export class Compound {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Names of members and indexes of elements, from the outside in. */
export type Path = readonly string[];

/**
 * Returns the value at each path; undefined when there is none. When a name repeats, the last member counts, as in
 * `JSON.parse`. The result is undefined for text that is not JSON or has more nested levels than `levels`.
 */
export function findInJson(bytes: Buffer, paths: readonly Path[], levels: number): (Found | undefined)[] | undefined {
  const walk = new Walk(bytes, paths, levels);
  if (!walk.readAll()) return undefined;
  return walk.spans.map((span) => (span === undefined ? undefined : valueOf(bytes, span)));
}

/**
 * Returns the offset of the first byte that JSON does not allow there, or that begins a deeper level; undefined for
 * valid JSON. A string with a fault inside counts as wrong from its first quote.
 */
export function jsonFaultAt(bytes: Buffer, levels: number): number | undefined {
  const walk = new Walk(bytes, [], levels);
  return walk.readAll() ? undefined : walk.at;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function valueOf(bytes: Buffer, { from, to }: Span): Found {
  const text = bytes.toString("utf8", from, to);
  if (bytes[from] === OBJECT_START || bytes[from] === LIST_START) return new Compound(text);
  const value = JSON.parse(text) as string | number | boolean | null;
  return typeof value !== "number" || isHeld(text, value) ? value : exactJson.rawJSON(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_U = 0x75;
const LOWER_E = 0x65;
/** Adding this bit converts a capital letter to lower case. */
const SMALL = 0x20;
const SPACE = 0x20;

const WORDS = new Map(["true", "false", "null"].map((word) => [word.charCodeAt(0), Buffer.from(word)]));
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));

/** A wanted path that leads to the current value or into it. `index` is its place in the list of paths. */
interface Lead {
  readonly index: number;
  readonly path: Path;
}

const NOTHING: readonly Lead[] = [];

class Walk {
  readonly spans: (Span | undefined)[];
  readonly #bytes: Buffer;
  readonly #levels: number;
  readonly #leads: readonly Lead[];
  #at = 0;

  constructor(bytes: Buffer, paths: readonly Path[], levels: number) {
    this.#bytes = bytes;
    this.#levels = levels;
    this.#leads = paths.map((path, index) => ({ index, path }));
    this.spans = paths.map(() => undefined);
  }

  get at(): number {
    return this.#at;
  }

  /** Returns false when the bytes are not JSON, or are nested too deep. */
  readAll(): boolean {
    return this.#value(0, this.#leads) && (this.#space(), this.#at === this.#bytes.length);
  }

  /**  @param depth levels around the value @param leads paths to the value, or into it */
  #value(depth: number, leads: readonly Lead[]): boolean {
    this.#space();
    const from = this.#at;
    // A later member of the same name replaces an earlier one.
    for (const { index } of leads) this.spans[index] = undefined;
    const byte = this.#bytes[from];
    if (byte === OBJECT_START || byte === LIST_START) {
      if (depth === this.#levels || !this.#inside(byte, depth, leads)) return false;
    } else if (!this.#scalar(byte)) return false;
    for (const { index, path } of leads) if (path.length === depth) this.spans[index] = { from, to: this.#at };
    return true;
  }

  #scalar(byte: number | undefined): boolean {
    if (byte === QUOTE) return this.#string();
    const word = byte === undefined ? undefined : WORDS.get(byte);
    if (word === undefined) return this.#number();
    const to = Math.min(this.#at + word.length, this.#bytes.length);
    if (this.#bytes.compare(word, 0, word.length, this.#at, to) !== 0) return false;
    this.#at = to;
    return true;
  }

  #inside(start: number, depth: number, leads: readonly Lead[]): boolean {
    const isObject = start === OBJECT_START;
    const end = isObject ? OBJECT_END : LIST_END;
    this.#at += 1;
    if (this.#space() === end) return this.#pass();
    for (let n = 0; ; n += 1) {
      let on = NOTHING;
      if (isObject) {
        this.#space();
        const from = this.#at;
        if (this.#bytes[from] !== QUOTE || !this.#string()) return false;
        if (leads.length > 0) on = this.#leadsOn(leads, depth, this.#nameAt(from));
        if (this.#space() !== COLON) return false;
        this.#at += 1;
      } else if (leads.length > 0) on = this.#leadsOn(leads, depth, String(n));
      if (!this.#value(depth + 1, on)) return false;
      const next = this.#space();
      if (next === end) return this.#pass();
      if (next !== COMMA) return false;
      this.#at += 1;
    }
  }

  #leadsOn(leads: readonly Lead[], depth: number, name: string): readonly Lead[] {
    return leads.filter(({ path }) => path[depth] === name);
  }

  #nameAt(from: number): string {
    const text = this.#bytes.toString("utf8", from, this.#at);
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  #pass(): true {
    this.#at += 1;
    return true;
  }

  #space(): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at];
    while (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    this.#at = at;
    return byte;
  }

  #string(): boolean {
    const bytes = this.#bytes;
    for (let at = this.#at + 1; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (byte < SPACE) return false;
      if (byte !== BACKSLASH) continue;
      at += 1;
      if (bytes[at] === LOWER_U) {
        if (!/^[0-9a-fA-F]{4}$/.test(bytes.toString("latin1", at + 1, at + 5))) return false;
        at += 4;
      } else if (!ESCAPED.has(bytes[at] as number)) return false;
    }
    return false;
  }

  #number(): boolean {
    const bytes = this.#bytes;
    if (bytes[this.#at] === MINUS) this.#at += 1;
    const from = this.#at;
    if (!this.#digits() || (bytes[from] === ZERO && this.#at > from + 1)) return false;
    if (bytes[this.#at] === DOT) {
      this.#at += 1;
      if (!this.#digits()) return false;
    }
    if (((bytes[this.#at] ?? 0) | SMALL) !== LOWER_E) return true;
    this.#at += 1;
    const sign = bytes[this.#at];
    if (sign === PLUS || sign === MINUS) this.#at += 1;
    return this.#digits();
  }

  #digits(): boolean {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at += 1;
    this.#at = at;
    return at > from;
  }
}
