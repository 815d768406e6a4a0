/**
 * Whether a tag matches one of these patterns. `*` matches any characters, and every other character matches itself.
 */
export function matchesAny(tag: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(tag, pattern));
}

/** Matches without a regular expression, so that many `*` take at most the product of the two lengths. */
function matches(tag: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return tag === first;
  if (!tag.startsWith(first) || tag.length < first.length + last.length || !tag.endsWith(last)) return false;
  let at = first.length;
  const end = tag.length - last.length;
  for (const piece of rest) {
    const found = tag.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

export function isImmutable({ immutableTags }: { readonly immutableTags: readonly string[] }, tag: string): boolean {
  return matchesAny(tag, immutableTags);
}
