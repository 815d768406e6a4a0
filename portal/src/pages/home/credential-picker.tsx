import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMay, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { SelectField } from "~/kit/field.tsx";

export type Credential = ResultOf<typeof ORGANIZATION_ROUTES.listCredentials>["items"][number];

export interface CredentialChoice {
  readonly mayRead: boolean;
  /** Undefined while they are asked for. */
  readonly all: readonly Credential[] | undefined;
  readonly chosen: Credential | undefined;
}

/** The credential that commands name: the one of the address, or the newest one of this project. */
export function useCredentialChoice(): CredentialChoice {
  const mayRead = useMay("credentials:read");
  const project = useProject();
  const [search] = useSearchState<{ credential?: string }>();
  const { data } = useRead(ORGANIZATION_ROUTES.listCredentials, { query: { limit: 100 } }, { enabled: mayRead });
  const all = data?.items.filter(({ revoked_at }) => revoked_at === null);
  const own = all?.filter(({ project_id }) => project_id === (project?.id ?? null));
  const chosen = all?.find(({ id }) => id === search.credential) ?? own?.[0] ?? all?.[0];
  return { mayRead, all, chosen };
}

export function CredentialPicker({ choice }: { choice: CredentialChoice }): ReactNode {
  const [, setSearch] = useSearchState<{ credential?: string }>();
  const { all, chosen, mayRead } = choice;
  if (!mayRead)
    return (
      <p className="text-ink-2">Ask for a credential: your role does not hold credentials:read, so none is named.</p>
    );
  if (all === undefined) return null;
  if (all.length === 0)
    return (
      <p className="text-ink-2">
        There is no credential yet. <PageLink page="credentials">Make one</PageLink>, and put its secret in below.
      </p>
    );
  return (
    <div className="max-w-[52ch]">
      <SelectField
        label="Credential"
        hint="Put its secret, which was shown when it was made, in the place of CLIENT_SECRET."
        value={chosen?.id ?? ""}
        onChange={(event) => setSearch({ credential: event.target.value })}
      >
        {all.map(({ id, name, client_id }) => (
          <option key={id} value={id}>
            {name} ({client_id})
          </option>
        ))}
      </SelectField>
    </div>
  );
}
