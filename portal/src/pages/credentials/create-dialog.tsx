import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { bodyOf, faultOf, readAddressList } from "~/access/address-list.ts";
import { AddressesField } from "~/access/addresses-field.tsx";
import { useMayIn, useProjectsFor } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { cn } from "~/kit/cn.ts";
import { State } from "~/kit/state.tsx";
import { useGrant, usePolicy, type PolicyOfCredentials } from "./grant.ts";
import { PermissionPicker } from "./permission-picker.tsx";
import { cut } from "~/access/permissions.ts";
import { allowedDays, draftOf, expiresAt, expiryChoices, type Draft, type PrefillSearch } from "./prefill.ts";
import { TEMPLATES, type Template } from "./templates.ts";
import type { NewCredential } from "./types.ts";

interface CreateProps {
  search: PrefillSearch;
  /** Slug of the project that the page is about. */
  project: string | null;
  onCreated: (made: NewCredential) => void;
  onClose: () => void;
}

/** The form for a new credential: what it is for, what it may do, where and how long. */
export function CreateDialog({ search, project, onCreated, onClose }: CreateProps): ReactNode {
  const [draft, setDraft] = useState(() => draftOf(search, SCOPES, project));
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const grant = useGrant(draft.project);
  const policy = usePolicy();
  const { lifetimeDaysMax, requireExpiry } = policy;
  const days = allowedDays(draft.expiresDays, lifetimeDaysMax, requireExpiry);
  const addresses = readAddressList(draft.addresses);
  const create = useAct(ORGANIZATION_ROUTES.createCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials],
    onDone: onCreated,
  });
  const { given } = cut(draft.requested, grant);
  const isReady = given.length > 0 && draft.name !== "" && faultOf(addresses) === null;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!isReady || create.isPending) return;
    const expires_at = expiresAt(days, lifetimeDaysMax, Date.now());
    create.mutate({
      body: {
        name: draft.name,
        scopes: [...given],
        ...(draft.project === null ? {} : { project: draft.project }),
        ...(expires_at === null ? {} : { expires_at }),
        allowed_addresses: bodyOf(addresses),
        ...(draft.withoutSecret ? { without_secret: true } : {}),
      },
    });
  };
  return (
    <Dialog
      title="New credential"
      about="For one program: the fewer permissions, the less is lost with it."
      onClose={onClose}
      wide
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Templates
          chosen={draft.template}
          onChoose={({ id, name, scopes, expiresDays }) =>
            change({ template: id, name: isProposed(draft.name) ? name : draft.name, requested: scopes, expiresDays })
          }
        />
        <Where draft={draft} days={days} policy={policy} onChange={change} />
        <Checkbox
          label="Without a secret: only trusted issuers' tokens sign in as it"
          checked={draft.withoutSecret}
          onChange={(event) => change({ withoutSecret: event.target.checked })}
        />
        <PermissionPicker
          requested={draft.requested}
          grant={grant}
          onChange={(requested) => change({ requested, template: "custom" })}
        />
        <AddressesField
          label="May be used from"
          hint="Addresses and CIDR ranges; empty: from anywhere"
          text={draft.addresses}
          onChange={(text) => change({ addresses: text })}
          shutOut="From your address this credential will be refused, so its secret can't be tried here."
        />
        {policy.approvalRequired && <ApprovalNote project={draft.project} />}
        <ErrorNote error={create.error} />
        <DialogActions>
          <CopyButton text={linkOf(draft)} label="Copy a link to this form" className="mr-auto" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={create.isPending} disabled={!isReady}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Said before it is made: a secret that does not work yet surprises. */
function ApprovalNote({ project }: { project: string | null }): ReactNode {
  const of = useMe()?.projects.find(({ slug }) => slug === project);
  if (useMayIn(of?.id ?? null, "members:write")) return null;
  return (
    <p>
      <State kind="warn">
        <span className="whitespace-normal">
          It will wait for an approval by an owner or admin before it gets a token: the organization&apos;s policy.
        </span>
      </State>
    </p>
  );
}

function isProposed(name: string): boolean {
  return TEMPLATES.some((template) => template.name === name);
}

/** The address of this page with the form filled in, to be sent to who is to make it. */
function linkOf({ name, requested, project, expiresDays, withoutSecret }: Draft): string {
  const url = new URL(location.pathname, location.origin);
  url.searchParams.set("new", "true");
  if (name !== "") url.searchParams.set("name", name);
  url.searchParams.set("scopes", requested.join(","));
  if (project !== null) url.searchParams.set("for_project", project);
  url.searchParams.set("expires_days", expiresDays === null ? "never" : String(expiresDays));
  if (withoutSecret) url.searchParams.set("without_secret", "true");
  return url.href;
}

function Templates({ chosen, onChoose }: { chosen: string; onChoose: (template: Template) => void }): ReactNode {
  const about = TEMPLATES.find(({ id }) => id === chosen)?.about;
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">Made for</legend>
      <div className="flex flex-wrap gap-1.5 py-1">
        {TEMPLATES.map((template) => (
          <Button
            key={template.id}
            aria-pressed={template.id === chosen}
            className={cn(template.id === chosen && "border-sea bg-sea-2")}
            onClick={() => onChoose(template)}
          >
            {template.title}
          </Button>
        ))}
      </div>
      <p className="text-s text-ink-2" aria-live="polite">
        {about}
      </p>
    </fieldset>
  );
}

function Where({
  draft,
  days,
  policy: { lifetimeDaysMax, requireExpiry },
  onChange,
}: {
  draft: Draft;
  days: number | null;
  policy: PolicyOfCredentials;
  onChange: (part: Partial<Draft>) => void;
}): ReactNode {
  const projects = useProjectsFor("credentials:write");
  const mayEverywhere = useMayIn(null, "credentials:write");
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <TextField
        label="Name"
        hint="What uses it, and where: people see this in a year"
        value={draft.name}
        maxLength={100}
        required
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <SelectField
        label="Reaches"
        hint={draft.project === null ? "Every project but private ones" : "This project only"}
        value={draft.project ?? ""}
        onChange={(event) => onChange({ project: event.target.value === "" ? null : event.target.value })}
      >
        {(mayEverywhere || draft.project === null) && (
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
      <SelectField
        label="Ends after"
        hint={
          lifetimeDaysMax !== null
            ? `The policy allows ${lifetimeDaysMax} days`
            : requireExpiry
              ? "The policy asks for an end"
              : "One that ends can't be forgotten"
        }
        value={days ?? "never"}
        onChange={(event) =>
          onChange({ expiresDays: event.target.value === "never" ? null : Number(event.target.value) })
        }
      >
        {expiryChoices(lifetimeDaysMax, days, requireExpiry).map(({ days: choice, title }) => (
          <option key={title} value={choice ?? "never"}>
            {title}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
