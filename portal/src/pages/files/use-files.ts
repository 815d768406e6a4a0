import { FILE_ROUTES } from "@mooring/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { ItemList } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import type { StoredFile } from "./files.ts";

const PAGE = 100;

export interface FileList extends ItemList<StoredFile> {
  /** Of all pages. */
  readonly total: number;
}

/** Files newest first, page after page: this list goes by offset and tells a total. */
export function useFiles({ prefix, project }: { prefix: string | undefined; project: string | undefined }): FileList {
  const { client, slug } = useOrganization();
  const result = useInfiniteQuery({
    queryKey: [slug, FILE_ROUTES.listFiles.operationId, { prefix, project }],
    initialPageParam: 0,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, prefix, project };
      return (await client.call(FILE_ROUTES.listFiles, { query, purpose: "list the files", signal })).data;
    },
    getNextPageParam: ({ total, files }, pages) => {
      const loaded = pages.reduce((sum, page) => sum + page.files.length, 0);
      return files.length === 0 || loaded >= total ? undefined : loaded;
    },
    placeholderData: keepPreviousData,
  });
  const pages = result.data?.pages ?? [];
  return {
    items: withoutRepeats(pages.flatMap(({ files }) => files)),
    total: pages.at(-1)?.total ?? 0,
    error: result.error,
    isPending: result.isPending,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

/** An upload between two pages moves what follows, so that the second repeats a row of the first. */
function withoutRepeats(files: readonly StoredFile[]): StoredFile[] {
  return [...new Map(files.map((file) => [file.id, file])).values()];
}
