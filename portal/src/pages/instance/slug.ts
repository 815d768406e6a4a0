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
