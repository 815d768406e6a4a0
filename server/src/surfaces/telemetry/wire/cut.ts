import { ENTRY_KEYS_MAX } from "#kernel/limits.ts";
import { isObject, type JsonObject } from "./check.ts";

/** An entry's free-form members. Attributes can be left out of these. */
const FREE = ["attributes", "tags"] as const;

/**
 * Returns the entry with as many attributes as the limit of keys allows, in their order, and the number left out. An
 * attribute with members counts as all of them.
 */
export function withinKeys(entry: JsonObject): { entry: JsonObject; left: number } {
  const name = FREE.find((each) => isObject(entry[each]));
  if (name === undefined) return { entry, left: 0 };
  const own = Object.keys(entry).length;
  const pairs = Object.entries(entry[name] as JsonObject);
  // An attribute without members is counted without a walk.
  if (own + pairs.length <= ENTRY_KEYS_MAX && pairs.every(([, value]) => !isNested(value))) return { entry, left: 0 };
  let room = ENTRY_KEYS_MAX - own;
  const kept = pairs.filter(([, value]) => {
    const keys = keysOf(value, room) + 1;
    if (keys > room) return false;
    room -= keys;
    return true;
  });
  if (kept.length === pairs.length) return { entry, left: 0 };
  return { entry: { ...entry, [name]: Object.fromEntries(kept) }, left: pairs.length - kept.length };
}

/** Counts the members of a value at all levels. A count beyond `max` may be inexact. */
function keysOf(value: unknown, max: number): number {
  if (!isNested(value)) return 0;
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value) as unknown[]) {
    if (keys > max) break;
    keys += keysOf(member, max - keys);
  }
  return keys;
}

function isNested(value: unknown): value is object {
  return Array.isArray(value) || isObject(value);
}
