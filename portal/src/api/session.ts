import { ApiError } from "@mooring/client";
import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import { forgetClients, sessionClient } from "./clients.ts";

export type SignedIn = ResultOf<typeof PORTAL_ROUTES.getSession>;

/** The signed-in person; null: nobody. */
export const sessionQuery = queryOptions<SignedIn | null>({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    try {
      return await sessionClient.call(PORTAL_ROUTES.getSession, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Returns the signed-in person, for pages that are shown only to signed-in people. */
export function useSession(): SignedIn {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) throw new Error("nobody is signed in");
  return data;
}

/**
 * Deletes the data of one person before another signs in. Queries in use stay, since the sign-in page uses the session
 * query.
 */
export function forgetPerson(queries: QueryClient): void {
  forgetClients();
  queries.removeQueries({ type: "inactive" });
}
