import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { forgetPerson, sessionQuery, type SignedIn } from "~/api/session.ts";

/**
 * After the server began a session: drops the data of the earlier one, and asks who is signed in now. Null: the
 * browser did not keep the cookie.
 */
export function useBegunSession(): () => Promise<SignedIn | null> {
  const queries = useQueryClient();
  return useCallback(() => {
    forgetPerson(queries);
    return queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
  }, [queries]);
}
