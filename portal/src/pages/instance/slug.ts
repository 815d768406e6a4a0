const LENGTH_MAX = 39;

/** Proposes a slug for a name: `Acme Corp (EU)` becomes `acme-corp-eu`. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, LENGTH_MAX)
    .replace(/-+$/, "");
}

/** The contract's pattern in the form that browsers need: with an escaped hyphen in brackets. */
export const SLUG_PATTERN = String.raw`[a-z0-9][a-z0-9\-]{0,37}[a-z0-9]`;
