import {
  ORG_ROLE_SCOPES,
  PORTAL_ROUTES,
  SCOPE_DESCRIPTIONS,
  SCOPES,
  type MemberRole,
  type ResultOf,
  type Scope,
} from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { expiresAt } from "~/access/draft.ts";
import { ExpiryField } from "~/access/expiry-field.tsx";
import { PendingSecretNote } from "~/access/pending.tsx";
import { groupsOf } from "~/access/permissions.ts";
import { useAddresses } from "~/api/addresses.ts";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { dockerLogin } from "./token-snippets.ts";
import { browserText } from "./user-agent.ts";

type Created = ResultOf<typeof PORTAL_ROUTES.createPersonalAccessToken>;

const DEFAULT_DAYS = 90;

/** The form for a new token. After that it shows the token once. */
export function CreateToken({ onClose }: { onClose: () => void }): ReactNode {
  const create = useAct(PORTAL_ROUTES.createPersonalAccessToken, {
    changes: [PORTAL_ROUTES.listPersonalAccessTokens],
  });
  if (create.data !== undefined) return <CreatedToken created={create.data} onClose={onClose} />;
  return (
    <Dialog
      title="Create personal access token"
      about="For the APIs and docker login, in one organization."
      onClose={onClose}
    >
      <TokenForm
        busy={create.isPending}
        error={create.error}
        onCreate={(body) => create.mutate({ body, purpose: "create the token" })}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface NewToken {
  readonly organization: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string | null;
}

function TokenForm({
  busy,
  error,
  onCreate,
  onClose,
}: {
  busy: boolean;
  error: Error | null;
  onCreate: (token: NewToken) => void;
  onClose: () => void;
}): ReactNode {
  const { organizations } = useSession();
  const [organization, setOrganization] = useState(organizations[0]?.slug ?? "");
  const [name, setName] = useState(() => `docker, ${browserText(navigator.userAgent).replace(/^.* on /, "")}`);
  const [scopes, setScopes] = useState<readonly Scope[]>(["registry:pull", "registry:push"]);
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate({ organization, name: name.trim(), scopes, expires_at: expiresAt(days, null, Date.now()) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        hint="The place where you save it, so that you know later which token to revoke"
        autoFocus
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="Organization" value={organization} onChange={(event) => setOrganization(event.target.value)}>
        {organizations.map(({ slug, name: title }) => (
          <option key={slug} value={slug}>
            {title} ({slug})
          </option>
        ))}
      </SelectField>
      <ScopeChoice organization={organization} chosen={scopes} onChange={setScopes} />
      <ExpiryField days={days} onChange={setDays} />
      <ErrorNote error={error} />
      <FormActions
        action="Create"
        busy={busy}
        disabled={scopes.length === 0 || name.trim() === ""}
        onCancel={onClose}
      />
    </form>
  );
}

/**
 * A token never has more permissions than its owner. If the role lacks a permission, a role in a project may have it.
 */
function ScopeChoice({
  organization,
  chosen,
  onChange,
}: {
  organization: string;
  chosen: readonly Scope[];
  onChange: (scopes: readonly Scope[]) => void;
}): ReactNode {
  const { organizations } = useSession();
  const role = organizations.find(({ slug }) => slug === organization)?.role;
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
      {groupsOf(SCOPES).map(({ title, scopes }) => (
        <fieldset key={title} className="flex min-w-0 flex-col">
          <legend className="mb-1 font-medium">{title}</legend>
          {scopes.map((scope) => (
            <ScopeBox
              key={scope}
              scope={scope}
              role={role}
              checked={chosen.includes(scope)}
              onToggle={(isChosen) => onChange(isChosen ? [...chosen, scope] : chosen.filter((one) => one !== scope))}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}

function ScopeBox({
  scope,
  role,
  checked,
  onToggle,
}: {
  scope: Scope;
  role: MemberRole | undefined;
  checked: boolean;
  onToggle: (isChosen: boolean) => void;
}): ReactNode {
  const isHeld = role === undefined || role === "custom" || ORG_ROLE_SCOPES[role].includes(scope);
  return (
    <Checkbox
      label={
        <>
          {SCOPE_DESCRIPTIONS[scope]} <code className="text-ink-3">{scope}</code>
        </>
      }
      {...(isHeld
        ? {}
        : { why: `Your role ${role} lacks it. The token has it only in projects where your role has it.` })}
      checked={checked}
      onChange={(event) => onToggle(event.target.checked)}
    />
  );
}

function CreatedToken({ created, onClose }: { created: Created; onClose: () => void }): ReactNode {
  const { user } = useSession();
  const addresses = useAddresses();
  return (
    <SecretDialog
      title="Your token"
      label="Personal access token"
      secret={created.token}
      another="Create another token to get another one."
      onClose={onClose}
    >
      {created.item.pending && <PendingSecretNote noun="token" />}
      <div className="flex flex-col gap-1.5">
        <p>
          Send it to an API as <code>Authorization: Bearer …</code>. For images, run this command, paste the token (the
          terminal does not show it), and press Enter:
        </p>
        <CopyBlock
          text={dockerLogin(addresses?.registry_domain ?? location.host, user.email)}
          label="docker login command"
        />
        <p className="text-s text-ink-2">So the token is not in the shell’s history or the process list.</p>
      </div>
    </SecretDialog>
  );
}
