import { endOfString } from "#kernel/json-strings.ts";

/**
 * JavaScript objects keep the order of their members, except for names that are whole numbers, which come first
 * (ECMAScript, OrdinaryOwnPropertyKeys). While a value is an object, such names start with this private-use character.
 * It is removed from the written text.
 */

const MARK = "\ue000";
/** Names that are whole numbers, and sent names that look like a marked one. */
const NUMBER_NAME = /^\ue000*\d{1,10}$/;
/** Longer names are never numbers, even with escapes. */
const NAME_CHARS_MAX = 1000;
/** Whether a text has such a name. A digit may be an escape. */
const HAS_NUMBER_NAME = /"(?:\d|\\u003\d){1,10}"\s*:/;
/** A faster test, which excludes most texts. */
const DIGIT_AT_END = /\d"\s*:/;
/** Matches in the output of `JSON.stringify`, where a backslash precedes a quotation mark inside a string. */
const MARKED = /(?<=[{,]")\ue000(?=\ue000*\d{1,10}":)/g;

export function hasNumberNames(text: string): boolean {
  return DIGIT_AT_END.test(text) && HAS_NUMBER_NAME.test(text);
}

/** Returns the marked name of a member. */
export function markedName(name: string): string {
  return NUMBER_NAME.test(name) ? MARK + name : name;
}

/** Returns the sent name of a member. */
export function unmarkedName(name: string): string {
  return name.startsWith(MARK) && NUMBER_NAME.test(name) ? name.slice(1) : name;
}

/** Adds marks to the names in JSON text that need one. Invalid JSON stays invalid. */
export function marked(text: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf('"'); at >= 0;) {
    const end = endOfString(text, at);
    const name = end - at > NAME_CHARS_MAX ? undefined : nameAt(text, at + 1, end);
    if (name !== undefined && NUMBER_NAME.test(name)) {
      out += `${text.slice(from, at)}"${MARK}${name}"`;
      from = end + 1;
    }
    at = text.indexOf('"', end + 1);
  }
  return out + text.slice(from);
}

/** Removes the marks from the output of `JSON.stringify`. */
export function unmarked(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED, "") : json;
}

/** Returns the name at a place; undefined when it is a string value. */
function nameAt(text: string, from: number, to: number): string | undefined {
  let next = to + 1;
  while (/\s/.test(text[next] ?? "")) next += 1;
  if (text[next] !== ":") return undefined;
  const content = text.slice(from, to);
  try {
    return content.includes("\\") ? (JSON.parse(`"${content}"`) as string) : content;
  } catch {
    return undefined;
  }
}
