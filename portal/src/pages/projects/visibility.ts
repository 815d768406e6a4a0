import { APP_SLUG_PATTERN, SLUG_PATTERN } from "@mooring/contract";

export type Visibility = "organization" | "private";

/** Explains each visibility. */
export const VISIBILITY_ABOUT: Readonly<Record<Visibility, { title: string; about: string }>> = {
  organization: {
    title: "The whole organization",
    about:
      "All members have the permissions of their role in the organization, and credentials of the organization have access. Roles in the project add permissions.",
  },
  private: {
    title: "Private",
    about:
      "Only its members see it. Other owners and admins of the organization do not see it, and credentials of the organization have no access. It needs a maintainer.",
  },
};

const SLUG = new RegExp(SLUG_PATTERN);
const APP_SLUG = new RegExp(APP_SLUG_PATTERN);

/** Returns the error in a project's slug, or null if it is valid or empty. */
export function slugFault(slug: string): string | null {
  return slug === "" || SLUG.test(slug)
    ? null
    : "2 to 39 characters: a-z, 0-9 and hyphens. It begins and ends with a letter or digit";
}

/** Returns the error in an app's slug, which is also the name of its repository and bucket. */
export function appSlugFault(slug: string): string | null {
  return slug === "" || APP_SLUG.test(slug)
    ? null
    : "3 to 63 characters: a-z, 0-9, dots and hyphens. It begins and ends with a letter or digit, and is not a name that S3 reserves";
}

/** The usual environments of projects; others are allowed. */
export const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** Returns the error in an environment's label, or null if it is valid or empty. */
export function environmentFault(label: string): string | null {
  return label === "" || /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(label)
    ? null
    : "1 to 20 characters: a-z, 0-9 and hyphens. It begins and ends with a letter or digit";
}

/** Proposes a slug for a name. */
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
