import type { CallInput, Versioned } from "@mooring/client";
import type { BodyOf, ParamsOf, QueryOf, ResultOf, Route } from "@mooring/contract";
import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import type { VersionedRow } from "~/api/queries.ts";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "./button.tsx";
import { ErrorNote, isOvertaken } from "./error-note.tsx";
import { Loaded } from "./page.tsx";

export type { Versioned } from "@mooring/client";

/**
 * Reads an object with its `ETag`, for a form that changes only the version it shows. It is not read again
 * automatically, because a form must not change while a person edits it. It is not cached either: a form that opens with
 * an older version would be replaced by the newer one a moment later.
 */
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
    gcTime: 0,
    enabled,
    queryFn: ({ signal }) => client.read(row, { params, signal } as unknown as CallInput<T>),
  });
}

interface Change<T> {
  readonly params: ParamsOf<T>;
  readonly body: BodyOf<T>;
  readonly query?: QueryOf<T>;
  /**
   * Null: the change applies to any version, for example a pause. The server still refuses it if another change comes
   * first.
   */
  readonly etag: string | null;
}

/** Calls an operation that the server refuses if somebody else has changed the object since `etag`. */
export function useVersionedChange<const T extends VersionedRow>(
  row: T,
  { changes = [], onDone }: { changes?: readonly Route[]; onDone?: (result: ResultOf<T>) => void } = {},
): UseMutationResult<ResultOf<T>, Error, Change<T>> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: ({ params, body, query, etag }: Change<T>) => {
      const input = { params, body, query, headers: { "If-Match": etag } };
      // The input type of a generic row is not known here. `Change` has checked it.
      return confirmed(() => client.call(row, input as unknown as CallInput<T>));
    },
    onSuccess: async (result) => {
      onDone?.(result);
      await Promise.all(changes.map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })));
    },
  });
}

/** Loads an object with its version and shows a form. A newer version gets a new form. */
export function VersionedForm<const T extends Route>({
  row,
  params,
  children,
}: {
  row: T;
  params: ParamsOf<T>;
  children: (versioned: Versioned<ResultOf<T>>, onReload: () => void) => ReactNode;
}): ReactNode {
  const read = useVersioned(row, params);
  return (
    <Loaded result={read}>
      {(versioned) => <Fragment key={versioned.etag}>{children(versioned, () => void read.refetch())}</Fragment>}
    </Loaded>
  );
}

/** Shows the error of a change. If somebody else has changed the object, it offers to load the new version. */
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
          <span>Somebody else changed it while this form was open. Your changes are not saved.</span>
          <Button onClick={onReload}>Load the new version</Button>
          {children}
        </div>
      )}
    </ErrorNote>
  );
}
