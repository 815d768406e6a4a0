/** A word, a sign, or a sequence of operator characters. */
export interface Token {
  /** The text in lower case. Empty for space and text literals. */
  readonly text: string;
  /** The offset in bytes, as in the parser. */
  readonly at: number;
  /** The offset of the innermost open parenthesis, or -1. */
  readonly group: number;
}

// Text literals and space. C comments can be nested, so they are skipped below.
const SKIPPED =
  /[ \t\r\n\f\v]+|--[^\r\n]*|e'(?:[^'\\]|\\.|'')*'|'[^']*(?:''[^']*)*'|(\$(?:[a-z_\x80-\xff][\w\x80-\xff]*)?\$).*?\1/isy;
const TOKEN = /"[^"]*(?:""[^"]*)*"|[\w\x80-\xff][\w$\x80-\xff]*|(?:(?!--|\/\*)[-+*/<>=~!@%^&|])+|./isy;

/** The tokens of a statement with their places. They are needed because the syntax tree has no parentheses. */
export class Tokens {
  readonly #tokens: Token[] = [];
  readonly #indexes = new Map<number, number>();
  /** Maps each parenthesis to the next outer one. */
  readonly #outer = new Map<number, number>();

  constructor(sql: string) {
    const bytes = Buffer.from(sql).toString("latin1"); // one character for each byte
    const open: number[] = [];
    for (let at = 0; at < bytes.length;) {
      const skipped = skip(bytes, at);
      if (skipped > at) {
        this.#add({ text: "", at, group: open.at(-1) ?? -1 });
        at = skipped;
        continue;
      }
      const text = take(bytes, at);
      if (text === ")") open.pop();
      this.#add({ text: text.toLowerCase(), at, group: open.at(-1) ?? -1 });
      if (text === "(") {
        this.#outer.set(at, open.at(-1) ?? -1);
        open.push(at);
      }
      at += text.length;
    }
  }

  /** Lists all tokens in order. Space and text literals are tokens with an empty text. */
  all(): readonly Token[] {
    return this.#tokens;
  }

  at(offset: number): Token | undefined {
    return this.#tokens[this.#indexes.get(offset) ?? -1];
  }

  next(token: Token): Token | undefined {
    return this.#step(token, 1);
  }

  previous(token: Token): Token | undefined {
    return this.#step(token, -1);
  }

  /** Returns the outermost parenthesis that encloses `inner` within `group`, or -1. */
  between(group: number, inner: Token): number {
    let last = -1;
    for (let each = inner.group; each !== group && each !== -1; each = this.#outer.get(each) ?? -1) last = each;
    return last;
  }

  #step(token: Token, by: 1 | -1): Token | undefined {
    let index = (this.#indexes.get(token.at) ?? -1) + by;
    while (this.#isBlank(index)) index += by;
    return this.#tokens[index];
  }

  #isBlank(index: number): boolean {
    const token = this.#tokens[index];
    return token !== undefined && token.text === "";
  }

  #add(token: Token): void {
    this.#indexes.set(token.at, this.#tokens.length);
    this.#tokens.push(token);
  }
}

function skip(text: string, at: number): number {
  if (text.startsWith("/*", at)) return endOfComment(text, at);
  SKIPPED.lastIndex = at;
  return at + (SKIPPED.exec(text)?.[0].length ?? 0);
}

function take(text: string, at: number): string {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0] ?? text.charAt(at);
}

function endOfComment(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text.startsWith("/*", i)) depth++;
    else if (text.startsWith("*/", i)) depth--;
    else continue;
    i++;
    if (depth === 0) return i + 1;
  }
  return text.length;
}
