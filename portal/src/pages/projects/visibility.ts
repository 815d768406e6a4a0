import { APP_SLUG_PATTERN, SLUG_PATTERN } from "@mooring/contract";

export type Visibility = "organization" | "private";

/** The meaning of a visibility, to read before it is chosen. */
export const VISIBILITY_ABOUT: Readonly<Record<Visibility, { title: string; about: string }>> = {
  organization: {
    title: "The whole organization",
    about:
      "Every member works in it with their role in the organization, and credentials of the organization have access. Roles in the project add permissions.",
  },
  private: {
    title: "Private",
    about:
      "Only its own members see it. Owners and admins of the organization do not, and credentials of the organization have no access. It needs a maintainer.",
  },
};

const SLUG = new RegExp(SLUG_PATTERN);
const APP_SLUG = new RegExp(APP_SLUG_PATTERN);

/** The error in a project's slug; null: none, or the field is still empty. */
export function slugFault(slug: string): string | null {
  return slug === "" || SLUG.test(slug)
    ? null
    : "2 to 39 of a-z, 0-9 and hyphens; begins and ends with a letter or digit";
}

/** The same of an app's slug, which is a repository and a bucket as well. */
export function appSlugFault(slug: string): string | null {
  return slug === "" || APP_SLUG.test(slug)
    ? null
    : "3 to 63 of a-z, 0-9, dots and hyphens; begins and ends with a letter or digit; nothing that S3 keeps for itself";
}

/** The usual environments of projects; others are allowed. */
export const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** The error in an environment's label; null: none, or there is no label. */
export function environmentFault(label: string): string | null {
  return label === "" || /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(label)
    ? null
    : "1 to 20 of a-z, 0-9 and hyphens; begins and ends with a letter or digit";
}

/** A slug as a name proposes it. */
export function slugOf(name: string, charsMax: number): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, charsMax)
    .replaceAll(/^-+|-+$/g, "");
}
