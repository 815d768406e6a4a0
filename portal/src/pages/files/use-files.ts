import { FILE_ROUTES } from "@mooring/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { keepSameRows } from "~/api/previous-rows.ts";
import type { ItemList } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import type { ListedFile, StoredFile, TrashedFile } from "./files.ts";

const PAGE = 100;

export interface FileList<F extends StoredFile = ListedFile> extends ItemList<F> {
  /** The number of files on all pages; undefined: the server does not count them. */
  readonly total: number | undefined;
  /** Whether there are more than `total`. */
  readonly isTotalCut?: boolean;
}

interface Filters {
  readonly prefix: string | undefined;
  readonly project: string | undefined;
  /** While false, no request is sent. */
  readonly enabled: boolean;
}

/** Reads files, newest first, page by page. This list uses an offset and has a total. */
export function useFiles({ prefix, project, enabled }: Filters): FileList {
  const { client, slug } = useOrganization();
  const queryKey = [slug, FILE_ROUTES.listFiles.operationId, { prefix, project }];
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, prefix, project };
      return (await client.call(FILE_ROUTES.listFiles, { query, purpose: "list the files", signal })).data;
    },
    getNextPageParam: nextOffset,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
    enabled,
  });
  const last = result.data?.pages.at(-1);
  return { ...listOf(result), total: last?.total ?? 0, isTotalCut: last?.total_is_lower_bound ?? false };
}

/** Reads each name once with its newest file, sorted by name. */
export function useFileNames({ prefix, project, enabled }: Filters): FileList {
  const { client, slug } = useOrganization();
  const queryKey = [slug, FILE_ROUTES.listFileNames.operationId, { prefix, project }];
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, cursor: pageParam, prefix, project };
      return (await client.call(FILE_ROUTES.listFileNames, { query, purpose: "list the files by name", signal })).data;
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
    enabled,
  });
  const list = listOf(result);
  return { ...list, total: list.hasMore ? undefined : list.items.length };
}

export interface TrashList extends FileList<TrashedFile> {
  readonly bytes: number;
  /** The retention of deleted files; undefined until it is known. */
  readonly days: number | undefined;
}

/** Reads deleted files that can be restored, last deleted first. */
export function useTrash(project: string | undefined): TrashList {
  const { client, slug } = useOrganization();
  const queryKey = [slug, FILE_ROUTES.listTrash.operationId, { project }];
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, project };
      return (await client.call(FILE_ROUTES.listTrash, { query, purpose: "list the trash", signal })).data;
    },
    getNextPageParam: nextOffset,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
  });
  const last = result.data?.pages.at(-1);
  return { ...listOf(result), total: last?.total ?? 0, bytes: last?.bytes ?? 0, days: last?.trash_days };
}

interface OffsetPage {
  readonly files: readonly unknown[];
  readonly total: number;
  /** Whether there are more than `total`. */ readonly total_is_lower_bound?: boolean;
}

function nextOffset(
  { total, total_is_lower_bound: isCut = false, files }: OffsetPage,
  pages: readonly OffsetPage[],
): number | undefined {
  const loaded = pages.reduce((sum, page) => sum + page.files.length, 0);
  return files.length === 0 || (loaded >= total && !isCut) ? undefined : loaded;
}

interface Pages<F> {
  readonly data: { readonly pages: readonly { readonly files: readonly F[] }[] } | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

function listOf<F extends StoredFile>(result: Pages<F>): ItemList<F> {
  return {
    items: withoutRepeats(result.data?.pages.flatMap(({ files }) => files) ?? []),
    error: result.error,
    isPending: result.isPending,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

/** Removes repeated rows. An upload between the reads of two pages shifts the rows, so the second page repeats one. */
function withoutRepeats<F extends StoredFile>(files: readonly F[]): F[] {
  return [...new Map(files.map((file) => [file.id, file])).values()];
}
