/** Elements by identifier, with their parameters. */
export type StructuredData = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ReadData {
  readonly data: StructuredData;
  /** The parameter `key` of an element `token@…`, which authenticates the message. It is not in `data`. */
  readonly key: string | undefined;
  /** Where the message begins. */
  readonly end: number;
}

/** More parameters are left out, because an entry has a limit for its keys. */
const PARAMETERS_MAX = 100;
/** RFC 5424 section 6.3.2, without its limit of 32 characters. */
const NAME = /[^ =\]"]{1,128}/y;
const VALUE = /"((?:[^"\\\]]|\\.)*)"/sy;
const KEY_ELEMENT = /^token@\d/;

/** Reads STRUCTURED-DATA (RFC 5424 section 6.3) at a position. Null: there is none, or it is not valid. */
export function readStructuredData(text: string, from: number): ReadData | null {
  const data: Record<string, Record<string, string>> = {};
  let [at, parameters] = [from, 0];
  let key: string | undefined;
  while (text[at] === "[") {
    const element = readElement(text, at + 1);
    if (element === null) return null;
    at = element.end;
    parameters += element.parameters.length;
    if (KEY_ELEMENT.test(element.id)) key = element.parameters.find(([name]) => name === "key")?.[1];
    else if (parameters <= PARAMETERS_MAX) data[element.id] = Object.fromEntries(element.parameters);
  }
  return at === from ? null : { data, key, end: at };
}

interface Element {
  readonly id: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly end: number;
}

function readElement(text: string, from: number): Element | null {
  const id = match(NAME, text, from);
  if (id === null) return null;
  let at = from + id[0].length;
  const parameters: [string, string][] = [];
  while (text[at] === " ") {
    const name = match(NAME, text, at + 1);
    if (name === null) break; // rsyslog writes a space before the bracket of an element without parameters.
    at += 1 + name[0].length;
    const value = text[at] === "=" ? match(VALUE, text, at + 1) : null;
    if (value === null) return null;
    at += 1 + value[0].length;
    parameters.push([name[0], (value[1] ?? "").replace(/\\(["\\\]])/g, "$1")]);
  }
  while (text[at] === " ") at += 1;
  return text[at] === "]" ? { id: id[0], parameters, end: at + 1 } : null;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
