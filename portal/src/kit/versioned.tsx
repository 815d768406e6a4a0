import { ApiError } from "@mooring/client";
import type { BodyOf, ParamsOf, ResultOf, Route } from "@mooring/contract";
import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";

/** A thing as it was read, and the mark of that state. */
export interface Versioned<T> {
  readonly value: T;
  readonly etag: string | null;
}

function pathOf(row: Route, params: object): string {
  const values = new Map<string, unknown>(Object.entries(params));
  return row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
}

/** One thing with its `ETag`, for a form that changes only what one has seen. Not renewed by itself: a form must not change under one's hands. */
export function useVersioned<const T extends Route>(
  row: T,
  params: ParamsOf<T>,
): UseQueryResult<Versioned<ResultOf<T>>> {
  const { client, slug } = useOrganization();
  return useQuery({
    queryKey: [slug, row.operationId, params, "versioned"],
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => {
      const response = await client.send({
        purpose: row.summary.charAt(0).toLowerCase() + row.summary.slice(1),
        url: client.addresses.identity_url + pathOf(row, params),
        signal,
      });
      return { value: (await response.json()) as ResultOf<T>, etag: response.headers.get("etag") };
    },
  });
}

interface Change<T> {
  readonly params: ParamsOf<T>;
  readonly body: BodyOf<T>;
  readonly etag: string | null;
}

/** A change that the server refuses with 412 when somebody else made one since `etag`. */
export function useVersionedChange<const T extends Route>(
  row: T,
  { changes = [], onDone }: { changes?: readonly Route[]; onDone?: (result: ResultOf<T>) => void } = {},
): UseMutationResult<ResultOf<T>, Error, Change<T>> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: ({ params, body, etag }: Change<T>) =>
      confirmed(() =>
        client.json<ResultOf<T>>({
          purpose: row.summary.charAt(0).toLowerCase() + row.summary.slice(1),
          method: row.method,
          url: client.addresses.identity_url + pathOf(row, params),
          headers: etag === null ? {} : { "if-match": etag },
          body: JSON.stringify(body),
        }),
      ),
    onSuccess: async (result) => {
      onDone?.(result);
      await Promise.all(changes.map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })));
    },
  });
}

/** The error of a change; of one that came too late it says so, and offers to read what is there now. */
export function ChangeError({ error, onReload }: { error: Error | null; onReload: () => void }): ReactNode {
  const isConflict = error instanceof ApiError && error.status === 412;
  return (
    <ErrorNote error={error}>
      {isConflict && (
        <div className="flex flex-wrap items-center gap-2 pt-1.5">
          <span>Somebody changed it while this form was open. Nothing of yours was saved.</span>
          <Button onClick={onReload}>Show what is there now</Button>
        </div>
      )}
    </ErrorNote>
  );
}
