import type { QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "~/api/session.ts";
import { PAGES } from "./pages.ts";
import { lastOrganization, meQuery } from "./scope.ts";

/**
 * Requests everything that the first view will wait for, all at once and before anything is drawn: otherwise each
 * request would wait for the one before. An error here happens again at the place of use, and is shown there.
 */
export function askForFirstView(queries: QueryClient, path: string): void {
  // On every page, since the document preloads it: the first who asks gets that answer, and after a sign-in it would be the wrong one.
  void queries.prefetchQuery(sessionQuery);
  if (!/^\/(?:o\/|$)/.test(path)) return;
  const [, org = lastOrganization(), , ...rest] = path.split("/").filter((part) => part !== "");
  pageAt(rest)
    ?.load()
    .catch(() => undefined);
  if (org !== null) void queries.prefetchQuery(meQuery(org));
}

/** By the parts of an address behind its project. */
function pageAt(parts: readonly string[]): (typeof PAGES)[number] | undefined {
  return PAGES.find(({ path }) => {
    const own = path === "" ? [] : path.split("/");
    return own.length === parts.length && own.every((part, i) => part.startsWith("$") || part === parts[i]);
  });
}
