import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { forgetPerson, sessionQuery, type SignedIn } from "~/api/session.ts";

/**
 * Returns a function to call after a sign-in. It deletes the data of the earlier session and reads the new one. Null:
 * the browser did not store the cookie.
 */
export function useBegunSession(): () => Promise<SignedIn | null> {
  const queries = useQueryClient();
  return useCallback(() => {
    forgetPerson(queries);
    return queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
  }, [queries]);
}
