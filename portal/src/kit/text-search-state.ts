import { useMemo } from "react";
import { useSearchState } from "~/app/search.ts";
import { textsOf } from "./search-text.ts";

/** Like `useSearchState`, for pages without numbers in their state, so that a name of digits stays a text. */
export function useTextSearchState<S extends Record<string, string | boolean | undefined>>(): ReturnType<
  typeof useSearchState<S>
> {
  const [search, change] = useSearchState<S>();
  return [useMemo(() => textsOf<S>(search), [search]), change];
}
