import type { CallInput, Versioned } from "@mooring/client";
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
import { ErrorNote, isOvertaken } from "./error-note.tsx";

export type { Versioned } from "@mooring/client";

/** One thing with its `ETag`, for a form that changes only what one has seen. Not renewed by itself: a form must not change under one's hands. */
export function useVersioned<const T extends Route>(
  row: T,
  params: ParamsOf<T>,
  { enabled = true } = {},
): UseQueryResult<Versioned<ResultOf<T>>> {
  const { client, slug } = useOrganization();
  return useQuery({
    queryKey: [slug, row.operationId, params, "versioned"],
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    enabled,
    queryFn: ({ signal }) => client.read(row, { params, signal } as unknown as CallInput<T>),
  });
}

interface Change<T> {
  readonly params: ParamsOf<T>;
  readonly body: BodyOf<T>;
  readonly etag: string | null;
}

/** A row that refuses what was made without having seen the present state. */
type VersionedRow = Route & { readonly headers: readonly ["If-Match"] };

/** A change that the server refuses when somebody else made one since `etag`. */
export function useVersionedChange<const T extends VersionedRow>(
  row: T,
  { changes = [], onDone }: { changes?: readonly Route[]; onDone?: (result: ResultOf<T>) => void } = {},
): UseMutationResult<ResultOf<T>, Error, Change<T>> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: ({ params, body, etag }: Change<T>) => {
      const input = { params, body, headers: { "If-Match": etag } };
      // What a row asks for can't be told of one that is not known yet; `Change` has asked for it.
      return confirmed(() => client.call(row, input as unknown as CallInput<T>));
    },
    onSuccess: async (result) => {
      onDone?.(result);
      await Promise.all(changes.map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })));
    },
  });
}

/** The error of a change; of one that came too late it says so, and offers to read what is there now, or what else `children` are. */
export function ChangeError({
  error,
  onReload,
  children,
}: {
  error: Error | null;
  onReload: () => void;
  children?: ReactNode;
}): ReactNode {
  return (
    <ErrorNote error={error}>
      {isOvertaken(error) && (
        <div className="flex flex-wrap items-center gap-2 pt-1.5">
          <span>Somebody changed it while this form was open. Nothing of yours was saved.</span>
          <Button onClick={onReload}>Show what is there now</Button>
          {children}
        </div>
      )}
    </ErrorNote>
  );
}
