import { endOfString } from "#kernel/json-strings.ts";

/**
 * Objects keep the order of their members, except those whose names are whole numbers, which come first (ECMAScript,
 * OrdinaryOwnPropertyKeys). While a value is an object such names have a mark in front, a character for private use,
 * which is removed from the written text.
 */

const MARK = "\ue000";
/** Names that are numbers, and names of senders that look like a marked one. */
const NUMBER_NAME = /^\ue000*\d{1,10}$/;
/** Longer names, even those with escapes, are not numbers. */
const NAME_CHARS_MAX = 1000;
/** Whether a text has such a name; a digit may be an escape. */
const HAS_NUMBER_NAME = /"(?:\d|\\u003\d){1,10}"\s*:/;
/** A faster test, which excludes most texts. */
const DIGIT_AT_END = /\d"\s*:/;
/**
 * Matches in the text that `JSON.stringify` writes, where a quotation mark within a string has a backslash before it.
 */
const MARKED = /(?<=[{,]")\ue000(?=\ue000*\d{1,10}":)/g;

export function hasNumberNames(text: string): boolean {
  return DIGIT_AT_END.test(text) && HAS_NUMBER_NAME.test(text);
}

/** The marked name of a member. */
export function markedName(name: string): string {
  return NUMBER_NAME.test(name) ? MARK + name : name;
}

/** The name that was sent. */
export function unmarkedName(name: string): string {
  return name.startsWith(MARK) && NUMBER_NAME.test(name) ? name.slice(1) : name;
}

/** JSON text with marks before names that need one. Text that is no JSON stays none. */
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

/** The output of `JSON.stringify`, with the sent names. */
export function unmarked(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED, "") : json;
}

/** The name at that place; undefined when it is another string. */
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
