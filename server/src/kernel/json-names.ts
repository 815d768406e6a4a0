import { endOfString } from "./json-strings.ts";

/**
 * Parses JSON like `JSON.parse`, but without a bug of Node 24 (V8 13.6) in names with escapes. After it has parsed
 * `{"k":{"z":0,"\\":1}}`, Node reads the second name of `{"k":{"z":0,"\n":1}}` as `\`. So this function itself reads
 * text that has a name with an escape.
 *
 * @param numberOf value of a number's text
 * @throws SyntaxError
 */
export function parseJson(text: string, numberOf?: (text: string) => unknown): unknown {
  if (hasEscapedName(text)) {
    JSON.parse(text); // Throws for text that is not JSON. `read` does not check this.
    return read(text, numberOf ?? Number);
  }
  if (numberOf === undefined) return JSON.parse(text) as unknown;
  return withSource.parse(text, (_name, value, { source }) =>
    typeof value !== "number" || source === undefined ? value : numberOf(source),
  );
}

/** `JSON.parse` with the third argument of its reviver, which the type library does not have yet. */
const withSource = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

/** Whether a member's name has an escape. For text that is not JSON, the result means nothing. */
export function hasEscapedName(text: string): boolean {
  if (!text.includes("\\")) return false;
  for (let at = text.indexOf('"'); at >= 0;) {
    const end = endOfString(text, at);
    if (isName(text, end) && text.slice(at, end).includes("\\")) return true;
    at = text.indexOf('"', end + 1);
  }
  return false;
}

const COLON = /\s*:/y;

/** A string is a name when a colon follows it. */
function isName(text: string, end: number): boolean {
  COLON.lastIndex = end + 1;
  return COLON.test(text);
}

const SCALAR = /[^\s,\]}]+/y;
const WORDS = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

type Members = Record<string, unknown>;

/** Reads text that is valid JSON. It is not recursive, because nesting may be deep. */
function read(text: string, numberOf: (text: string) => unknown): unknown {
  const root: unknown[] = [];
  const open: (unknown[] | Members)[] = [root];
  let name: string | undefined;
  const add = (value: unknown): void => {
    const parent = open.at(-1);
    if (Array.isArray(parent)) parent.push(value);
    else if (parent !== undefined && name !== undefined) setMember(parent, name, value);
    name = undefined;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = endOfString(text, at);
      const string = JSON.parse(text.slice(at, end + 1)) as string;
      if (name === undefined && !Array.isArray(open.at(-1))) name = string;
      else add(string);
      at = end;
    } else if (char === "{" || char === "[") {
      const inner = char === "{" ? {} : [];
      add(inner);
      open.push(inner);
    } else if (char === "}" || char === "]") open.pop();
    else if (/[-\w]/.test(char)) {
      SCALAR.lastIndex = at;
      const [scalar = ""] = SCALAR.exec(text) ?? [];
      add(WORDS.has(scalar) ? WORDS.get(scalar) : numberOf(scalar));
      at += scalar.length - 1;
    }
  }
  return root[0];
}

/** Assigning to `__proto__` would set the prototype. */
function setMember(object: Members, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
