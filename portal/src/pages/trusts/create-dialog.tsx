import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type KeyboardEvent, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useList } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { PresetFields } from "./preset-fields.tsx";
import { claimsOf, EMPTY_DRAFT, isComplete, PRESETS, subjectOf, widthOf, type Draft } from "./presets.ts";
import type { Trust } from "./types.ts";

interface CreateProps {
  /** Id of the credential to preselect. */
  credential: string | undefined;
  onCreated: (trust: Trust) => void;
  onClose: () => void;
}

/** The form for a new trust: the issuer, the jobs, and the credential. */
export function CreateDialog({ credential = "", onCreated, onClose }: CreateProps): ReactNode {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, credential });
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const claims = claimsOf(draft.claims);
  const isReady = isComplete(draft) && claims !== undefined;
  const create = useAct(ORGANIZATION_ROUTES.createTrust, {
    changes: [ORGANIZATION_ROUTES.listTrusts],
    onDone: onCreated,
  });
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!isReady || create.isPending) return;
    const audience = draft.audience.trim();
    create.mutate({
      params: { credential_id: draft.credential },
      body: { name: draft.name.trim(), ...subjectOf(draft), claims, ...(audience === "" ? {} : { audience }) },
      purpose: "trust the issuer",
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
  };
  return (
    <Dialog
      title="Create trust"
      about="Jobs sign in with tokens of this issuer instead of the credential's secret."
      onClose={onClose}
      wide
    >
      <form onSubmit={submit} onKeyDown={onKeyDown} className="flex flex-col gap-4">
        <Presets draft={draft} change={change} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Name"
            hint="The job that uses it"
            required
            maxLength={100}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <CredentialChoice value={draft.credential} onChange={(id) => change({ credential: id })} />
        </div>
        <PresetFields draft={draft} change={change} hasFault={claims === undefined} />
        <Shown draft={draft} />
        <ErrorNote error={create.error} />
        <FormActions action="Create" busy={create.isPending} disabled={!isReady} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

function Presets({ draft, change }: PartProps): ReactNode {
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">Where the jobs run</legend>
      <div className="flex flex-wrap gap-1.5 py-1">
        {PRESETS.map(({ id, title }) => (
          <Button
            key={id}
            aria-pressed={id === draft.preset}
            className={cn(id === draft.preset && "border-sea bg-sea-2")}
            onClick={() => change({ preset: id })}
          >
            {title}
          </Button>
        ))}
      </div>
      <p className="text-s text-ink-2" aria-live="polite">
        {PRESETS.find(({ id }) => id === draft.preset)?.about}
      </p>
    </fieldset>
  );
}

function CredentialChoice({ value, onChange }: { value: string; onChange: (id: string) => void }): ReactNode {
  const project = useProject();
  const list = useList(ORGANIZATION_ROUTES.listCredentials, {
    query: { limit: 100, project: project?.slug },
    purpose: "list the credentials",
  });
  const apps = list.items.filter(({ kind }) => kind === "app");
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <SelectField
        label="Signs in as"
        hint="The jobs get the permissions of the credential"
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">Choose a credential</option>
        {apps.map(({ id, name }) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </SelectField>
      <PageLink page="credentials" search={{ new: true, template: "ci", without_secret: true }}>
        Create one without a secret
      </PageLink>
    </div>
  );
}

/** Shows the claims that follow from the form. */
function Shown({ draft }: { draft: Draft }): ReactNode {
  const addresses = useAddresses();
  const { issuer, subject } = subjectOf(draft);
  const width = widthOf(subject);
  return (
    <section aria-label="Required claims of a token" className="rounded border border-line bg-well px-3 py-2">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3" aria-live="polite">
        {[
          ["iss", issuer],
          ["aud", draft.audience.trim() === "" ? (addresses?.identity_url ?? location.origin) : draft.audience.trim()],
          ["sub", subject],
        ].map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">
              <code>{name}</code>
            </dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">
              <code>{visibleText(value ?? "")}</code>
            </dd>
          </div>
        ))}
      </dl>
      {width !== null && <p className="text-s text-ink-2">{width}</p>}
    </section>
  );
}
