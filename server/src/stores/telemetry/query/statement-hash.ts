import { createHash } from "node:crypto";

const HASH_CHARS = 16;

/** In this order: comments, texts (with escapes, plain, in dollars), quoted names, names, numbers, spaces, and the rest. */
const TOKENS =
  /(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<text>[eE]'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*(?:'|$)|'[^']*(?:''[^']*)*(?:'|$)|\$(?<tag>[A-Za-z_]*)\$[^]*?(?:\$\k<tag>\$|$))|(?<quoted>"[^"]*(?:""[^"]*)*(?:"|$))|(?<name>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff$]*)|(?<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)|\s+|(?<other>[^])/gu;

/**
 * Returns a hash that is equal for statements that differ only in literals, comments, case and spaces. The length of a list of
 * literals does not matter either.
 */
export function hashStatement(sql: string): string {
  const shape = shapeOf(sql).replaceAll(/\?(?: , \?)+/g, "?");
  return createHash("sha256").update(shape).digest("hex").slice(0, HASH_CHARS);
}

function shapeOf(sql: string): string {
  const words: string[] = [];
  for (const { groups = {} } of sql.matchAll(TOKENS)) {
    const { text, number, name, quoted, other } = groups;
    if (text !== undefined || number !== undefined) words.push("?");
    else if (name !== undefined) words.push(name.toLowerCase());
    else if (quoted !== undefined) words.push(quoted);
    else if (other !== undefined && other !== ";") words.push(other);
  }
  return words.join(" ");
}
