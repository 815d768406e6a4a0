import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { sessionQuery } from "~/api/session.ts";

/** Returns a function that reads the session again, after a change to the person or their sign-in methods. */
export function useRenewSession(): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }), [queries]);
}
