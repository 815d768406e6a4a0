/**
 * Patterns of subjects. `*` matches any characters except `:` and `/`. `**` matches any except `:`. GitHub, GitLab and
 * Kubernetes separate the parts of a subject by `:`, which no name contains. So a wildcard never reaches into another
 * part. The two wildcards differ as in GitHub's patterns for branches. All other characters match themselves.
 */

/** The longest subject, and the longest pattern. */
export const SUBJECT_CHARS_MAX = 512;
/** The first parts, which must have no wildcard: in `repo:acme/shop:…`, the kind and the owner. */
const LITERAL_PARTS = 2;

/** One character of the pattern, or a wildcard. */
type Token = string;

/** Returns the reason why a trust may not have this pattern. Undefined if it may. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length === 0 || pattern.length > SUBJECT_CHARS_MAX)
    return `must have 1 to ${SUBJECT_CHARS_MAX} characters`;
  if (/[^\x21-\x7e]/.test(pattern)) return "must have no spaces, control characters or characters beyond ASCII";
  if (/\*{3}/.test(pattern)) return "must not have more than two * in a row";
  if (!pattern.includes("*")) return undefined;
  // One issuer serves many customers. Without this check, `repo:*/shop:…` would accept anybody's repository.
  const [beginning = ""] = pattern.split("*");
  const whole = beginning.split(/[:/]/).slice(0, -1);
  return whole.length < LITERAL_PARTS || whole.some((part) => part === "")
    ? "may have a * only after its first two parts, as in repo:acme/*:ref:refs/heads/main, because others use the same issuer"
    : undefined;
}

/** Whether the subject matches the pattern. The number of steps is at most the product of the two lengths. */
export function matchesPattern(pattern: string, subject: string): boolean {
  const tokens = tokensOf(pattern);
  // The places in the pattern that are reached after the characters so far.
  let places = closed(new Set([0]), tokens);
  for (const char of subject) {
    const next = new Set<number>();
    for (const at of places) {
      const token = tokens[at];
      if (token === char && !isWildcard(token)) next.add(at + 1);
      else if (isWildcard(token) && covers(token, char)) next.add(at);
    }
    if (next.size === 0) return false;
    places = closed(next, tokens);
  }
  return places.has(tokens.length);
}

function tokensOf(pattern: string): Token[] {
  return pattern.match(/\*\*|[\s\S]/gu) ?? [];
}

/** Adds the places that are reached because a wildcard also matches no character. */
function closed(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const at of places) if (isWildcard(tokens[at])) places.add(at + 1); // iterating a set includes elements that are added on the way
  return places;
}

function isWildcard(token: Token | undefined): token is "*" | "**" {
  return token === "*" || token === "**";
}

function covers(token: "*" | "**", char: string): boolean {
  return char !== ":" && (token === "**" || char !== "/");
}
