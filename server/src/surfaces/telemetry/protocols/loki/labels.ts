/** The labels of a stream as text, `{app="shop", level="info"}`, which protobuf and the old JSON form have. */

const NAME = /\s*([a-zA-Z_:.][\w:.-]*)\s*=\s*/y;
const STRING = /"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/y;
const NEXT = /\s*,?\s*/y;
const CLOSED = /\s*\}\s*$/y;

/** Parses labels; undefined when the text has another form (grafana/loki, pkg/logql/syntax, `ParseLabels`). */
export function labelsOf(text: string): readonly (readonly [string, string])[] | undefined {
  const open = /^\s*\{\s*/.exec(text);
  if (open === null) return undefined;
  const labels: [string, string][] = [];
  let at = open[0].length;
  while (match(CLOSED, text, at) === null) {
    const name = match(NAME, text, at);
    const value = name === null ? null : match(STRING, text, at + name[0].length);
    if (name === null || value === null) return undefined;
    const plain = value[1] === undefined ? value[2] : unquoted(value[1]);
    if (plain === undefined) return undefined;
    labels.push([name[1] ?? "", plain]);
    at += name[0].length + value[0].length;
    at += match(NEXT, text, at)?.[0].length ?? 0;
  }
  return labels;
}

function match(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

const ESCAPE = /\\(?:([abfnrtv\\"'])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|)/g;
const LETTERS: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/**
 * Replaces the escapes of a Go string (Go specification, "Rune literals"); undefined when one is not valid. `\x` and
 * octal escapes are bytes of UTF-8.
 */
function unquoted(text: string): string | undefined {
  if (!text.includes("\\")) return text;
  const pieces: Buffer[] = [];
  let end = 0;
  for (const found of text.matchAll(ESCAPE)) {
    const bytes = bytesOfEscape(found);
    if (bytes === undefined) return undefined;
    pieces.push(Buffer.from(text.slice(end, found.index)), bytes);
    end = found.index + found[0].length;
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(end))]).toString("utf8");
}

function bytesOfEscape([, letter, hex, octal, short, long]: RegExpExecArray): Buffer | undefined {
  if (letter !== undefined) return Buffer.from(LETTERS[letter] ?? letter);
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff]);
  const code = Number.parseInt(short ?? long ?? "x", 16);
  return code <= 0x10ffff ? Buffer.from(String.fromCodePoint(code)) : undefined;
}
