import type { QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "~/api/session.ts";
import { PAGES } from "./pages.ts";
import { lastOrganization, meQuery } from "./scope.ts";

/**
 * Sends all requests of the first view at once, before anything is drawn. Otherwise each request would wait for the
 * previous one. Errors are ignored here: they occur again, and are shown, at the place of use.
 */
export function askForFirstView(queries: QueryClient, path: string): void {
  // The document preloads the session, and the first request gets that answer. So it is sent here on every page: after
  // a sign-in the preloaded answer would be wrong.
  void queries.prefetchQuery(sessionQuery);
  if (!/^\/(?:o\/|$)/.test(path)) return;
  const [, org = lastOrganization(), , ...rest] = path.split("/").filter((part) => part !== "");
  pageAt(rest)
    ?.load()
    .catch(() => undefined);
  if (org !== null) void queries.prefetchQuery(meQuery(org));
}

/** Finds a page by the parts of an address after its project. */
function pageAt(parts: readonly string[]): (typeof PAGES)[number] | undefined {
  return PAGES.find(({ path }) => {
    const own = path === "" ? [] : path.split("/");
    return own.length === parts.length && own.every((part, i) => part.startsWith("$") || part === parts[i]);
  });
}
