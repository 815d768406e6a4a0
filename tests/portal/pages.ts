/** Every page of an organization by its address. A second copy, because these tests are black box. */
export const ORGANIZATION_PAGES = [
  "",
  "explore",
  "sql",
  "metrics",
  "traces",
  "alerts",
  "refused-entries",
  "files",
  "buckets",
  "images",
  "webhooks",
  "members",
  "roles",
  "credentials",
  "trusts",
  "ingest-keys",
  "s3-keys",
  "audit",
  "access-log",
  "requests",
  "projects",
  "trash",
  "usage",
  "queries",
  "api",
  "settings",
] as const;

/** For the signed-in person, outside of any organization. */
export const OWN_PAGES = ["/account", "/instance"] as const;

/** For everybody. */
export const OPEN_PAGES = ["/sign-in", "/setup", "/invitation"] as const;

interface PortalPage {
  readonly path: string;
  readonly title: string;
  readonly key?: string;
  readonly hidden?: boolean;
}

/** Returns the portal's own list of its pages, so that a test of all pages includes new ones. */
export async function portalPages(): Promise<readonly PortalPage[]> {
  const { href } = new URL("../../portal/src/app/pages.ts", import.meta.url);
  const { PAGES } = (await import(href)) as { PAGES: readonly PortalPage[] };
  return PAGES;
}
