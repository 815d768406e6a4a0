import { isObject } from "./refusal.ts";

/** Offsets in bytes, as in the parser. A node without a place has a larger number than any offset. */
const AT = "query_location";
const AT_MAX = 2 ** 32;

/** Returns the offset of a node in the statement's text. */
export function locationOf(node: unknown): number | undefined {
  const at = isObject(node) ? node[AT] : undefined;
  return typeof at === "number" && at < AT_MAX ? at : undefined;
}

/**
 * Maps the place `at` in the text of `rendered` to the text of `source`. Both are trees of one statement, and `rendered` was
 * made from `source`. Undefined when the trees differ there.
 */
export function originOf(source: unknown, rendered: unknown, at: number): number | undefined {
  if (Array.isArray(source) && Array.isArray(rendered)) {
    for (const [i, item] of source.entries()) {
      const found = originOf(item, rendered[i], at);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(source) || !isObject(rendered) || source["class"] !== rendered["class"]) return undefined;
  if (locationOf(rendered) === at && locationOf(source) !== undefined) return locationOf(source);
  for (const [name, member] of Object.entries(source)) {
    if (typeof member !== "object" || member === null) continue;
    const found = originOf(member, rendered[name], at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a column of this name is compared with something. That is how a text without its quotes is parsed. */
export function isCompared(tree: unknown, name: string): boolean {
  if (Array.isArray(tree)) return tree.some((item) => isCompared(item, name));
  if (!isObject(tree)) return false;
  const sides = [
    tree["left"],
    tree["right"],
    ...(Array.isArray(tree["children"]) ? (tree["children"] as unknown[]) : []),
  ];
  const compares = tree["class"] === "COMPARISON" || String(tree["type"]).endsWith("IN");
  if (compares && sides.some((side) => isColumn(side, name))) return true;
  return Object.values(tree).some((member) => typeof member === "object" && isCompared(member, name));
}

function isColumn(node: unknown, name: string): boolean {
  const names = isObject(node) && node["class"] === "COLUMN_REF" ? node["column_names"] : undefined;
  return Array.isArray(names) && names.length === 1 && String(names[0]).toLowerCase() === name.toLowerCase();
}
