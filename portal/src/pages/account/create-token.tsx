import { ORG_ROLE_SCOPES, PORTAL_ROUTES, SCOPE_DESCRIPTIONS, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { dockerLogin, expiryOf, LIFETIMES, type Lifetime } from "./token-snippets.ts";
import { browserText } from "./user-agent.ts";

type Created = ResultOf<typeof PORTAL_ROUTES.createPersonalAccessToken>;

const SCOPES = ["registry:pull", "registry:push", "registry:delete"] as const;
type TokenScope = (typeof SCOPES)[number];

const DEFAULT_DAYS = 90;

/** Asks what the token is for, then shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }): ReactNode {
  const create = useAct(PORTAL_ROUTES.createPersonalAccessToken, {
    changes: [PORTAL_ROUTES.listPersonalAccessTokens],
  });
  if (create.data !== undefined)
    return (
      <Dialog holdsSecret title="Your token" onClose={onClose} wide>
        <Shown created={create.data} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog
      title="New personal access token"
      about="The password of docker login, for one organization."
      onClose={onClose}
    >
      <TokenForm
        busy={create.isPending}
        error={create.error}
        onCreate={(body) => create.mutate({ body, purpose: "make the token" })}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface NewToken {
  readonly organization: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
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
  const [scopes, setScopes] = useState<readonly TokenScope[]>(["registry:pull", "registry:push"]);
  const [days, setDays] = useState<Lifetime>(DEFAULT_DAYS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate({ organization, name: name.trim(), scopes, expires_at: expiryOf(days, new Date()) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        hint="Where it will be kept, so that you know which one to end."
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
      <SelectField
        label="Ends"
        value={String(days)}
        onChange={(event) => setDays(LIFETIMES.find((each) => String(each) === event.target.value) ?? null)}
      >
        {LIFETIMES.map((each) => (
          <option key={each} value={String(each)}>
            {each === null ? "Never by itself" : each === 365 ? "In a year" : `In ${each} days`}
          </option>
        ))}
      </SelectField>
      <ErrorNote error={error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" type="submit" busy={busy} disabled={scopes.length === 0 || name.trim() === ""}>
          Make the token
        </Button>
      </DialogActions>
    </form>
  );
}

/** A token holds no more than its person; what the role lacks may still come from a role in a project. */
function ScopeChoice({
  organization,
  chosen,
  onChange,
}: {
  organization: string;
  chosen: readonly TokenScope[];
  onChange: (scopes: readonly TokenScope[]) => void;
}): ReactNode {
  const { organizations } = useSession();
  const role = organizations.find(({ slug }) => slug === organization)?.role;
  return (
    <fieldset className="flex flex-col">
      <legend className="mb-1 font-medium">May</legend>
      {SCOPES.map((scope) => {
        const isHeld = role === undefined || ORG_ROLE_SCOPES[role].includes(scope);
        return (
          <Checkbox
            key={scope}
            label={
              <>
                {SCOPE_DESCRIPTIONS[scope]} <code className="text-ink-3">{scope}</code>
              </>
            }
            {...(isHeld ? {} : { why: `As ${role ?? ""} you may in projects only where your role there says so.` })}
            checked={chosen.includes(scope)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
            }
          />
        );
      })}
    </fieldset>
  );
}

function Shown({ created, onClose }: { created: Created; onClose: () => void }): ReactNode {
  const { user } = useSession();
  const addresses = useAddresses();
  return (
    <>
      <State kind="warn">
        <span className="whitespace-normal">It is shown now and never again.</span>
      </State>
      {created.item.pending && (
        <State kind="warn">
          <span className="whitespace-normal">
            It works once an owner or admin of {created.item.organization} has approved it: the organization’s policy.
          </span>
        </State>
      )}
      <CopyBlock text={created.token} label="Personal access token" />
      <div className="flex flex-col gap-1.5">
        <p>Run this, paste the token (it does not show), and press Enter:</p>
        <CopyBlock
          text={dockerLogin(addresses?.registry_domain ?? location.host, user.email)}
          label="docker login command"
        />
        <p className="text-s text-ink-2">The token stays out of the shell’s history and of the list of processes.</p>
      </div>
      <DialogActions>
        <Button look="main" onClick={onClose}>
          I have kept it
        </Button>
      </DialogActions>
    </>
  );
}
