import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

type Value = string | number | boolean | readonly string[] | undefined;

/**
 * Keeps a page's state in the part of the address after `?`, so that every view has a link. A change replaces the
 * history entry, unless `push`. Undefined members are removed from the address.
 */
export function useSearchState<S extends Record<string, Value>>(): [
  Partial<S>,
  (change: Partial<S>, options?: { push?: boolean }) => void,
] {
  const search: Partial<S> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (part: Partial<S>, { push = false } = {}) => {
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, ...part }) as never,
        replace: !push,
      });
    },
    [navigate],
  );
  return [search, change];
}
