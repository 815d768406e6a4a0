import type { Assertion } from "./assertion.ts";
import type { Trust } from "./trust.ts";
import { matchesPattern } from "./subject.ts";

/** Claims that have their own condition, or whose values change. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]);

/** The conditions of a trust on a verified assertion. Each returns undefined if it matches, otherwise the reason. */
export const MATCHERS = {
  audience: ({ audience }: Trust, { audiences }: Assertion): string | undefined =>
    audiences.includes(audience) ? undefined : `aud is ${shown(audiences.join(" "))}, not ${audience}`,
  subject: (trust: Trust, { subject }: Assertion): string | undefined =>
    matchesPattern(trust.subject, subject)
      ? undefined
      : `sub is ${shown(subject)}, which ${trust.subject} does not match`,
  claims: (trust: Trust, { claims }: Assertion): string | undefined => {
    const other = Object.entries(trust.claims).find(([name, value]) => ownOf(claims, name) !== value);
    if (other === undefined) return undefined;
    const [name, value] = other;
    const present = ownOf(claims, name);
    return `${name} ${present === undefined ? "is absent" : `is ${shown(JSON.stringify(present))}`}, not ${JSON.stringify(value)}`;
  },
} as const;

function ownOf(claims: Assertion["claims"], name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** Shortens text that somebody else wrote. */
function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
