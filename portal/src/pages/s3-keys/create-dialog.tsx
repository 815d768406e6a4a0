import { ORGANIZATION_ROUTES, S3_KEY_SCOPES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOf, faultOf, readAddressList } from "~/access/address-list.ts";
import { AddressesField } from "~/access/addresses-field.tsx";
import { useAct, useList, useRead } from "~/api/queries.ts";
import { useMayIn, useProjectsFor, useWhyNotIn } from "~/app/may.ts";
import { holdsIn } from "~/app/rights.ts";
import { useMe, useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { CreatedKey } from "./created-key.tsx";
import { expiryOf, KEY_SCOPE_TEXTS, namesIn, type NewS3Key } from "~/access/s3-keys.ts";

type KeyScope = (typeof S3_KEY_SCOPES)[number];

interface Form {
  readonly name: string;
  readonly project: string;
  readonly scopes: readonly KeyScope[];
  readonly buckets: string;
  readonly prefix: string;
  readonly days: string;
  readonly addresses: string;
}

const LIFETIMES = [
  ["", "never"],
  ["1", "in a day"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
] as const;

/** Chooses what a new key may do, and shows its secret once. */
export function CreateKeyDialog({ bucket, onClose }: { bucket?: string | undefined; onClose: () => void }): ReactNode {
  const [made, setMade] = useState<NewS3Key | null>(null);
  if (made !== null) return <CreatedKey s3Key={made} onClose={onClose} />;
  return (
    <Dialog
      title="Create an S3 key"
      about="Give it no more than its use needs: a leaked key reaches what it reaches."
      onClose={onClose}
      wide
    >
      <KeyForm bucket={bucket} onMade={setMade} onClose={onClose} />
    </Dialog>
  );
}

interface KeyFormProps {
  bucket: string | undefined;
  onMade: (key: NewS3Key) => void;
  onClose: () => void;
}

function KeyForm({ bucket, onMade, onClose }: KeyFormProps): ReactNode {
  const project = useProject();
  const mayEverywhere = useMayIn(null, "credentials:write");
  const [first] = useProjectsFor("credentials:write");
  const [form, setForm] = useState<Form>({
    name: bucket ?? "",
    project: project?.slug ?? (mayEverywhere ? "" : (first?.slug ?? "")),
    scopes: ["s3:read"],
    buckets: bucket ?? "",
    prefix: "",
    days: "",
    addresses: "",
  });
  const addresses = readAddressList(form.addresses);
  const change = (part: Partial<Form>): void => setForm((before) => ({ ...before, ...part }));
  const create = useAct(ORGANIZATION_ROUTES.createS3Key, { changes: [ORGANIZATION_ROUTES.listS3Keys], onDone: onMade });
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    const buckets = namesIn(form.buckets);
    create.mutate({
      body: {
        name: form.name.trim(),
        project: form.project === "" ? null : form.project,
        scopes: form.scopes,
        buckets: buckets.length === 0 ? null : buckets,
        prefix: form.prefix,
        expires_at: expiryOf(form.days, new Date()),
        allowed_addresses: bodyOf(addresses),
      },
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          autoFocus
          hint="What uses it, so that whoever revokes it knows"
          required
          maxLength={100}
          value={form.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <ProjectChoice value={form.project} onChange={(slug) => change({ project: slug })} />
      </div>
      <ScopeChoice project={form.project} chosen={form.scopes} onChange={(scopes) => change({ scopes })} />
      <LimitFields form={form} change={change} />
      <AddressesField
        label="May be used from"
        hint="Addresses and CIDR ranges; empty: from anywhere. Presigned URLs of the key are bound as well."
        text={form.addresses}
        onChange={(text) => change({ addresses: text })}
        shutOut="From your address this key will be refused, so its secret can't be tried here."
      />
      <ErrorNote error={create.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="main"
          type="submit"
          busy={create.isPending}
          disabled={form.scopes.length === 0 || faultOf(addresses) !== null}
        >
          Create key
        </Button>
      </DialogActions>
    </form>
  );
}

function ProjectChoice({ value, onChange }: { value: string; onChange: (slug: string) => void }): ReactNode {
  const projects = useProjectsFor("credentials:write");
  const whyNotAll = useWhyNotIn(null, "credentials:write");
  return (
    <SelectField
      label="Project"
      hint={value === "" ? "It reaches the buckets of every project" : "It reaches this project's buckets"}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="" disabled={whyNotAll !== undefined}>
        the whole organization
      </option>
      {projects.map(({ id, slug }) => (
        <option key={id} value={slug}>
          {slug}
        </option>
      ))}
    </SelectField>
  );
}

function ScopeChoice({
  project,
  chosen,
  onChange,
}: {
  /** Slug; empty: the whole organization. */
  project: string;
  chosen: readonly KeyScope[];
  onChange: (scopes: readonly KeyScope[]) => void;
}): ReactNode {
  const me = useMe();
  const projectId = me?.projects.find(({ slug }) => slug === project)?.id ?? null;
  const organization = useRead(ORGANIZATION_ROUTES.getOrganization, {});
  const allowed = organization.data?.policy.allowed_scopes ?? null;
  const why = (scope: KeyScope): string | undefined => {
    if (me !== undefined && !holdsIn(me, projectId, scope))
      return `Your role does not hold ${scope}, and nobody gives what they don't hold`;
    if (allowed !== null && !allowed.includes(scope)) return "The organization's policy forbids it";
    return undefined;
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">It may</legend>
      {S3_KEY_SCOPES.map((scope) => (
        <Checkbox
          key={scope}
          label={
            <>
              {KEY_SCOPE_TEXTS[scope]} <code className="text-ink-3">{scope}</code>
            </>
          }
          why={why(scope)}
          disabled={why(scope) !== undefined}
          checked={chosen.includes(scope)}
          onChange={(event) =>
            onChange(S3_KEY_SCOPES.filter((each) => (each === scope ? event.target.checked : chosen.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}

function LimitFields({ form, change }: { form: Form; change: (part: Partial<Form>) => void }): ReactNode {
  const apps = useList(ORGANIZATION_ROUTES.listApps, {
    query: { limit: 100, project: form.project === "" ? undefined : form.project },
  });
  const organization = useRead(ORGANIZATION_ROUTES.getOrganization, {});
  const daysMax = organization.data?.policy.credential_lifetime_days_max ?? null;
  const mustEnd = organization.data?.policy.require_expiry === true && daysMax === null;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        label="Only these buckets"
        hint="Separated by commas; empty: every bucket"
        list="known-buckets"
        value={form.buckets}
        onChange={(event) => change({ buckets: event.target.value })}
      />
      <datalist id="known-buckets">
        {apps.items.map(({ bucket }) => (
          <option key={bucket} value={bucket} />
        ))}
      </datalist>
      <TextField
        label="Only keys that begin with"
        hint="For example 2026/; empty: every object"
        maxLength={1024}
        value={form.prefix}
        onChange={(event) => change({ prefix: event.target.value })}
      />
      <SelectField
        label="Expires"
        hint={
          mustEnd
            ? "The policy asks for an end"
            : daysMax === null
              ? undefined
              : `The policy ends it after ${daysMax} days at the latest`
        }
        required={mustEnd}
        value={form.days}
        onChange={(event) => change({ days: event.target.value })}
      >
        {LIFETIMES.map(([days, text]) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
