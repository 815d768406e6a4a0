import { isUtf8 } from "node:buffer";
import { isDeeperThan, jsonMembersOf } from "#kernel/json-text.ts";
import { WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";

/**
 * Returns the texts of an object's members; undefined for other text, or if a name repeats. When a signature covers
 * values instead of bytes, a reader of the event could see another value of a repeated name than the verified one.
 */
export function uniqueMembersOf(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const members = jsonMembersOf(text);
  const values = new Map(members.map(({ name, value }) => [name, value]));
  return values.size === members.length ? values : undefined;
}

/** Returns the body as text; undefined when it is not JSON. */
export function jsonBodyOf(body: Buffer): string | undefined {
  const text = isUtf8(body) ? body.toString("utf8") : "";
  if (isDeeperThan(text, WEBHOOK_JSON_DEPTH_MAX)) return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

/** Returns the string in the text of a value; undefined for other values. */
export function stringIn(value: string | undefined): string | undefined {
  return value?.startsWith('"') === true ? (JSON.parse(value) as string) : undefined;
}
