import type { CallInput, Client } from "@mooring/client";
import type { ResultOf, Route } from "@mooring/contract";
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { keepSameRows } from "./previous-rows.ts";
import { useConfirmed } from "./confirmation.tsx";
import { sessionClient } from "./clients.ts";
import { useOrganization } from "~/app/scope.ts";

interface ReadOptions {
  /** While false, no request is sent. */
  readonly enabled?: boolean;
  /** The interval of requests while the page is visible. */
  readonly refetchMs?: number | undefined;
}

/** Returns the client of the page's organization, or of the session for the portal's own operations. */
function useClientFor(row: Route): { client: Client; owner: string } {
  const organization = useOrganization({ optional: row.path.startsWith("/api/") });
  if (row.path.startsWith("/api/") || organization === null) return { client: sessionClient, owner: "" };
  return { client: organization.client, owner: organization.slug };
}

/** Reads the answer of one operation, with a cache. Its key begins with the organization and the operation's id. */
export function useRead<const T extends Route>(
  row: T,
  input: CallInput<T>,
  { enabled = true, refetchMs }: ReadOptions = {},
): UseQueryResult<ResultOf<T>> {
  const { client, owner } = useClientFor(row);
  const queryKey = [owner, row.operationId, input];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => client.call(row, { ...input, signal }),
    enabled,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
}

type ItemOf<T> = ResultOf<T> extends { items: readonly (infer I)[] } ? I : never;

export interface ItemList<I> {
  readonly items: readonly I[];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

/** Reads a list page by page, by `next_cursor`. */
export function useList<const T extends Route>(
  row: T,
  input: CallInput<T>,
  { enabled = true, refetchMs }: ReadOptions = {},
): ItemList<ItemOf<T>> {
  const { client, owner } = useClientFor(row);
  const queryKey = [owner, row.operationId, input, "pages"];
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        ...(input as { query?: object }).query,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      return (await client.call(row, { ...input, query, signal })) as Page<ItemOf<T>>;
    },
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
    enabled,
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
  return {
    items: result.data?.pages.flatMap((page) => page.items) ?? [],
    error: result.error,
    isPending: result.isPending,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

interface Page<I> {
  readonly items: readonly I[];
  readonly next_cursor?: string | null;
}

/**
 * An operation that changes an object only if it still has the version that the form showed: see `useVersionedChange`.
 */
export type VersionedRow = Route & { readonly headers: readonly ["If-Match"] };

/** Returns a function that reads the answers of these operations again. */
export function useRefresh(rows: readonly Route[]): () => void {
  const queries = useQueryClient();
  const { slug } = useOrganization();
  return () => {
    for (const { operationId } of rows) void queries.invalidateQueries({ queryKey: [slug, operationId] });
  };
}

/**
 * Calls an operation that changes something. If the server requires a confirmation, the person is asked, and the call
 * is repeated. Then the answers of the operations in `changes` are read again.
 */
export function useAct<const T extends Route>(
  row: T & (T extends VersionedRow ? never : unknown),
  { changes = [], onDone }: { changes?: readonly Route[]; onDone?: (result: ResultOf<T>) => void } = {},
): UseMutationResult<ResultOf<T>, Error, CallInput<T>> {
  const { client, owner } = useClientFor(row);
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: (input: CallInput<T>) => confirmed(() => client.call(row, input)),
    onSuccess: async (result) => {
      onDone?.(result);
      await Promise.all(
        changes.map(({ path, operationId }) =>
          queries.invalidateQueries({ queryKey: [path.startsWith("/api/") ? "" : owner, operationId] }),
        ),
      );
    },
  });
}
