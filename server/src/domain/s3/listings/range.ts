import { keyBytes, keyText } from "../objects/detail.ts";

/** A range of keys in the order of their bytes: from `start` up to `end`, which is excluded. */
export interface KeyRange {
  readonly start: Uint8Array;
  /** Null: the range has no end. */
  readonly end: Uint8Array | null;
}

/**
 * Returns the range of keys that begin with the prefix and come after `after`. If `after` is a common prefix, the range
 * starts after all keys that begin with it.
 */
export function rangeOf(query: {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
}): KeyRange {
  const { prefix, delimiter, after } = query;
  const first = keyBytes(prefix);
  const end = successor(first);
  if (after === "") return { start: first, end };
  const next = isCommonPrefix(after, prefix, delimiter)
    ? successor(keyBytes(after))
    : Buffer.concat([keyBytes(after), ZERO]);
  const start = next === null || Buffer.compare(next, first) > 0 ? next : first;
  return { start: start ?? NOTHING, end };
}

/**
 * Returns the ranges of the keys that are listed as objects, not as common prefixes.
 * @param steps keys, in their order
 */
export function rangesOfKeys(steps: readonly Uint8Array[], prefix: string, delimiter: string): KeyRange[] {
  const ranges: { start: Uint8Array; end: Uint8Array }[] = [];
  let isOpen = false;
  for (const bytes of steps) {
    const isKey = commonPrefixOf(keyText(bytes), prefix, delimiter) === undefined;
    const end = Buffer.concat([bytes, ZERO]);
    const last = ranges.at(-1);
    if (isKey && isOpen && last !== undefined) last.end = end;
    else if (isKey) ranges.push({ start: bytes, end });
    isOpen = isKey;
  }
  return ranges;
}

const ZERO = Buffer.of(0);
/** No UTF-8 key begins with this byte or a greater one. */
const NOTHING = Buffer.of(255);

/** Returns the common prefix of a key; undefined when the key is listed itself. */
export function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === "") return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}

function isCommonPrefix(text: string, prefix: string, delimiter: string): boolean {
  return text.startsWith(prefix) && commonPrefixOf(text, prefix, delimiter) === text;
}

/**
 * Returns the smallest key after all keys that begin with `bytes`; null when there is none. UTF-8 has no byte 255, so the
 * addition has no carry.
 */
export function successor(bytes: Uint8Array): Uint8Array | null {
  const last = bytes.at(-1);
  if (last === undefined) return null;
  const next = Buffer.from(bytes);
  next[next.length - 1] = last + 1;
  return next;
}
