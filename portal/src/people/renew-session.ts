import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { sessionQuery } from "~/api/session.ts";

/** Reads again who is signed in and how they can: after a change of any of it. */
export function useRenewSession(): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }), [queries]);
}
