import { ENTRY_KEYS_MAX } from "#kernel/limits.ts";
import { isObject, type JsonObject } from "../check.ts";

/** An entry's free-form members, of which some may be left out. */
const FREE = ["attributes", "tags"] as const;

/**
 * An entry with as many of its attributes as its limit of keys has room for, in their order, and how many it is without. An attribute with
 * members counts as all of them.
 */
export function withinKeys(entry: JsonObject): { entry: JsonObject; left: number } {
  const name = FREE.find((each) => isObject(entry[each]));
  if (name === undefined) return { entry, left: 0 };
  const own = Object.keys(entry).length;
  const pairs = Object.entries(entry[name] as JsonObject);
  // Values without members are counted without a walk.
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

/** The members in a value, all levels counted; a count beyond `max` need not be exact. */
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
