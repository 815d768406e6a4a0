import type { CallInput } from "@mooring/client";
import type { Effects, Orphans, QueryOf } from "@mooring/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { VersionedRow } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import { SelectField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Time } from "~/kit/time.tsx";
import { ChangeError } from "~/kit/versioned.tsx";

interface PlanOptions {
  readonly enabled?: boolean;
  /** The version of the record that the form shows: the dry run is refused if it has changed. Null: any version. */
  readonly etag?: string | null;
}

/** Reads the effects of an act by its dry run. It is not read again automatically, because a dialog shows it. */
export function usePlan<const T extends VersionedRow>(
  row: T,
  input: Omit<CallInput<T>, "query"> & { readonly query?: QueryOf<T> },
  { enabled = true, etag = null }: PlanOptions = {},
): UseQueryResult<Effects> {
  const { client, slug } = useOrganization();
  return useQuery({
    queryKey: [slug, row.operationId, input, etag, "plan"],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    enabled,
    queryFn: async ({ signal }) => {
      const query = { ...input.query, dry_run: true };
      const answer: unknown = await client.call(row, {
        ...input,
        query,
        signal,
        headers: { "If-Match": etag },
      } as never);
      return answer as Effects;
    },
  });
}

const SHOWN_MAX = 20;

/** Shows what an act stops, and what passes to another person. `onReload` reads the record of a form again. */
export function PlanNote({
  plan: { data, error, refetch },
  onReload,
}: {
  plan: UseQueryResult<Effects>;
  onReload?: () => void;
}): ReactNode {
  if (error !== null) return <ChangeError error={error} onReload={onReload ?? (() => void refetch())} />;
  if (data === undefined) return <p role="status">Reading the effects…</p>;
  const { stops, adopts, projects } = data;
  const maintained = Object.keys(projects).length;
  if (stops.length + adopts.length + maintained === 0) return <p role="status">No credential or S3 key is affected.</p>;
  return (
    <div role="status" aria-label="Effects" className="flex flex-col gap-2">
      {stops.length > 0 && (
        <>
          <p className="font-medium">
            {plural(stops.length, "credential or key loses", "credentials and keys lose")} permissions:
          </p>
          <ul className="max-h-48 overflow-auto">
            {stops.slice(0, SHOWN_MAX).map((stop) => (
              <Stop key={stop.id} stop={stop} />
            ))}
          </ul>
          {stops.length > SHOWN_MAX && <p className="text-s text-ink-2">And {stops.length - SHOWN_MAX} more.</p>}
        </>
      )}
      {adopts.length > 0 && (
        <p>
          Somebody else becomes responsible for {plural(adopts.length, "credential or key", "credentials and keys")},
          and they continue to work:{" "}
          {adopts.slice(0, SHOWN_MAX).map(({ id, name }, i) => (
            <span key={id}>
              {i > 0 && ", "}
              <ForeignText text={name} />
            </span>
          ))}
          {adopts.length > SHOWN_MAX && " …"}
        </p>
      )}
      {maintained > 0 && (
        <p>{plural(maintained, "private project gets", "private projects get")} another maintainer.</p>
      )}
    </div>
  );
}

function Stop({ stop }: { stop: Effects["stops"][number] }): ReactNode {
  return (
    <li className="border-t border-line py-1">
      <span className="flex flex-wrap gap-x-3">
        <ForeignText text={stop.name} />
        <span className="text-ink-2">{plural(stop.requests_24h, "request")} in the last day, last used</span>
        <Time at={stop.last_used_at} />
      </span>
      <span className="block text-s text-ink-2">
        {stop.reason}: <code>{stop.loses.join(" ")}</code>
      </span>
    </li>
  );
}

/** Decides about the credentials that would lose permissions. `loses`: they may also just lose them. */
export function OrphansField({
  value,
  loses,
  onChange,
}: {
  value: Orphans | null;
  loses?: boolean;
  onChange: (value: Orphans | null) => void;
}): ReactNode {
  return (
    <SelectField
      label="Their credentials and S3 keys that would lose permissions"
      hint="The person still knows the secrets of credentials that continue to work, so rotate them soon."
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? null : (target.value as Orphans))}
    >
      {loses === true && <option value="">lose them</option>}
      <option value="adopt">pass to me and keep them</option>
      <option value="revoke">are revoked</option>
    </SelectField>
  );
}
