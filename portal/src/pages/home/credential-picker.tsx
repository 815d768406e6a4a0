import { ORGANIZATION_ROUTES, type ResultOf, type Scope } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayHere } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { SelectField } from "~/kit/field.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { visibleText } from "~/kit/foreign.ts";

export type Credential = ResultOf<typeof ORGANIZATION_ROUTES.listCredentials>["items"][number];

export interface CredentialChoice {
  readonly mayRead: boolean;
  /** Undefined while they are loading. */
  readonly all: readonly Credential[] | undefined;
  /** The credentials that fit the command. */
  readonly fitting: readonly Credential[];
  readonly chosen: Credential | undefined;
}

/**
 * Returns the credential for commands: from the address, or the newest one of this project. With `own`, only
 * credentials of the project fit, because the telemetry of an organization's credential has no project. With `scope`,
 * only credentials with this scope fit.
 */
export function useCredentialChoice({ own = false, scope }: { own?: boolean; scope?: Scope } = {}): CredentialChoice {
  const mayRead = useMayHere("credentials:read");
  const project = useProject();
  const [search] = useSearchState<{ credential?: string }>();
  const { data } = useRead(ORGANIZATION_ROUTES.listCredentials, { query: { limit: 100 } }, { enabled: mayRead });
  const all = data?.items.filter(({ revoked_at, expires_at }) => revoked_at === null && !isOver(expires_at));
  const ofProject = (all ?? []).filter(({ project_id }) => project === null || project_id === project.id);
  const wider = (all ?? []).filter(({ project_id }) => project !== null && project_id === null && !own);
  const fitting = [...ofProject, ...wider].filter(
    ({ effective_scopes }) => scope === undefined || effective_scopes.includes(scope),
  );
  const chosen = fitting.find(({ id }) => id === search.credential) ?? fitting[0];
  return { mayRead, all, fitting, chosen };
}

function isOver(expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) < Date.now();
}

export function CredentialPicker({ choice }: { choice: CredentialChoice }): ReactNode {
  const [, setSearch] = useSearchState<{ credential?: string }>();
  const { all, fitting, chosen, mayRead } = choice;
  const project = useProject();
  if (!mayRead)
    return (
      <p className="text-ink-2">Your role lacks credentials:read, so none is shown. Ask an admin for a credential.</p>
    );
  if (all === undefined) return null;
  if (fitting.length === 0)
    return (
      <p className="text-ink-2">
        No credential {project === null ? "" : "of this project "}has this permission yet.{" "}
        <PageLink page="credentials" className={PROSE_LINK}>
          Create one
        </PageLink>
        , and enter its secret below.
      </p>
    );
  return (
    <div className="max-w-[52ch]">
      <SelectField
        label="Credential"
        hint="Replace CLIENT_SECRET with its secret, which was shown once when it was created."
        value={chosen?.id ?? ""}
        onChange={(event) => setSearch({ credential: event.target.value })}
      >
        {fitting.map(({ id, name, client_id }) => (
          <option key={id} value={id}>
            {visibleText(name)} ({client_id})
          </option>
        ))}
      </SelectField>
    </div>
  );
}
