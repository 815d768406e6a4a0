import type { Scope } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useMayIn, useProjectsFor } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { bodyOf, faultOf, readAddressList } from "./address-list.ts";
import { AddressesField } from "./addresses-field.tsx";
import { allowedDays, expiresAt, type AccessDraft } from "./draft.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { useGrant, usePolicy, type CredentialPolicy } from "./grant.ts";
import { PermissionPicker } from "./permission-picker.tsx";
import { cut } from "./permissions.ts";
import { ResourceFields } from "./resource-fields.tsx";
import { kindsOf, missingKinds, resourcesIn, type Resources } from "./resources.ts";

/** The fields that the create request of each kind has. */
export interface CreateBody {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly project?: string;
  readonly expires_at?: string;
  readonly allowed_addresses: string[] | null;
  readonly resources?: Resources;
}

interface CreateProps<D extends AccessDraft> {
  /** `credential`, `S3 key`. */
  noun: string;
  about: string;
  /** The scopes to choose from; default: all. */
  scopes?: readonly Scope[];
  texts?: Readonly<Partial<Record<Scope, string>>>;
  first: D;
  busy: boolean;
  error: Error | null;
  onCreate: (body: CreateBody, draft: D) => void;
  onClose: () => void;
  /** Additional fields of this kind, before and after the common ones, and a button next to "Cancel". */
  before?: (draft: D, change: (part: Partial<D>) => void) => ReactNode;
  after?: (draft: D, change: (part: Partial<D>) => void) => ReactNode;
  action?: (draft: D) => ReactNode;
  /** Whether the form has fields for resources. */
  hasResources?: boolean;
  /** Fields to set when the permissions change, for example the chosen template. */
  onPermissions?: Partial<D>;
}

/** The form for a new credential or key: its name, project, lifetime, permissions and addresses. */
export function CreateDialog<D extends AccessDraft>(props: CreateProps<D>): ReactNode {
  const { noun } = props;
  const [draft, setDraft] = useState(props.first);
  const change = (part: Partial<D>): void => setDraft((before) => ({ ...before, ...part }));
  const changeCommon = (part: Partial<AccessDraft>): void => change(part as Partial<D>);
  const grant = { ...useGrant(draft.project), isLimited: draft.resources !== null };
  const policy = usePolicy();
  const { given } = cut(draft.requested, grant);
  const { body, isReady, days } = useBody(draft, policy, given);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !props.busy) props.onCreate(body(), draft);
  };
  return (
    <Dialog title={`Create ${noun}`} about={props.about} onClose={props.onClose} wide>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {props.before?.(draft, change)}
        <CommonFields draft={draft} days={days} policy={policy} onChange={changeCommon} />
        {props.hasResources === true && (
          <ResourceFields
            noun={noun}
            project={draft.project}
            kinds={kindsOf(given)}
            texts={draft.resources}
            onChange={(resources) => changeCommon({ resources })}
          />
        )}
        {props.after?.(draft, change)}
        <PermissionPicker
          {...(props.scopes === undefined ? {} : { scopes: props.scopes })}
          {...(props.texts === undefined ? {} : { texts: props.texts })}
          requested={draft.requested}
          grant={grant}
          onChange={(requested) => change({ ...props.onPermissions, requested } as Partial<D>)}
        />
        <AddressesField
          label="May be used from"
          hint="Addresses and CIDR ranges. Empty: from anywhere"
          text={draft.addresses}
          onChange={(text) => changeCommon({ addresses: text })}
          shutOut={`Your address is not in this list. You cannot try the ${noun} from here.`}
        />
        {policy.approvalRequired && <ApprovalNote project={draft.project} />}
        <ErrorNote error={props.error} />
        <DialogActions>
          {props.action?.(draft)}
          <Button onClick={props.onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={props.busy} disabled={!isReady}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function useBody(
  draft: AccessDraft,
  { lifetimeDaysMax, requireExpiry }: CredentialPolicy,
  scopes: readonly Scope[],
): { readonly days: number | null; readonly isReady: boolean; body(this: void): CreateBody } {
  const days = allowedDays(draft.expiresDays, lifetimeDaysMax, requireExpiry);
  const addresses = readAddressList(draft.addresses);
  const name = draft.name.trim();
  const kinds = kindsOf(scopes);
  const { resources } = draft;
  const isNamed = resources === null || missingKinds(resources, kinds).length === 0;
  const body = (): CreateBody => {
    const expires_at = expiresAt(days, lifetimeDaysMax, Date.now());
    return {
      name,
      scopes,
      ...(draft.project === null ? {} : { project: draft.project }),
      ...(expires_at === null ? {} : { expires_at }),
      allowed_addresses: bodyOf(addresses),
      ...(resources === null ? {} : { resources: resourcesIn(resources, kinds) }),
    };
  };
  const isReady = scopes.length > 0 && name !== "" && faultOf(addresses) === null && isNamed;
  return { days, isReady, body };
}

/** Warns that the new secret will not work before it is approved. */
function ApprovalNote({ project }: { project: string | null }): ReactNode {
  const chosen = useMe()?.projects.find(({ slug }) => slug === project);
  if (useMayIn(chosen?.id ?? null, "members:write")) return null;
  return (
    <p>
      <State kind="warn">
        <span className="whitespace-normal">
          The organization&apos;s policy requires an approval. It will not work until an owner or admin approves it.
        </span>
      </State>
    </p>
  );
}

interface CommonProps {
  draft: AccessDraft;
  days: number | null;
  policy: CredentialPolicy;
  onChange: (part: Partial<AccessDraft>) => void;
}

function CommonFields({ draft, days, policy, onChange }: CommonProps): ReactNode {
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <TextField
        label="Name"
        hint="The program that uses it, and where"
        autoFocus
        value={draft.name}
        maxLength={100}
        required
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <ProjectField value={draft.project} onChange={(project) => onChange({ project })} />
      <ExpiryField
        hint={expiryHint(policy)}
        days={days}
        policy={policy}
        onChange={(expiresDays) => onChange({ expiresDays })}
      />
    </div>
  );
}

function expiryHint({ lifetimeDaysMax, requireExpiry }: CredentialPolicy): string {
  if (lifetimeDaysMax !== null) return `The policy allows ${lifetimeDaysMax} days`;
  return requireExpiry
    ? "The policy requires an expiry"
    : "Choose an expiry, so that nobody has to remember to revoke it";
}

function ProjectField({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (slug: string | null) => void;
}): ReactNode {
  const projects = useProjectsFor("credentials:write");
  const mayEverywhere = useMayIn(null, "credentials:write");
  return (
    <SelectField
      label="Project"
      hint={value === null ? "Every project except private ones" : "This project only"}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
    >
      {(mayEverywhere || value === null) && (
        <option value="" disabled={!mayEverywhere}>
          The whole organization
        </option>
      )}
      {projects.map(({ slug, name, visibility }) => (
        <option key={slug} value={slug}>
          {name}
          {visibility === "private" ? " (private)" : ""}
        </option>
      ))}
    </SelectField>
  );
}

/** Returns the project to preselect: the page's project, or the first one where the person may create items. */
export function useFirstProject(project: { readonly slug: string } | null): string | null {
  const mayEverywhere = useMayIn(null, "credentials:write");
  const [own] = useProjectsFor("credentials:write");
  return project?.slug ?? (mayEverywhere ? null : (own?.slug ?? null));
}
