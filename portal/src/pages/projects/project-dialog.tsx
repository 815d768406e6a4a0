import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";
import type { Project } from "./types.ts";
import { ENVIRONMENTS, environmentFault, slugFault, slugOf, VISIBILITY_ABOUT, type Visibility } from "./visibility.ts";

const CHANGES = [
  ORGANIZATION_ROUTES.listProjects,
  ORGANIZATION_ROUTES.getProject,
  ORGANIZATION_ROUTES.listProjectMembers,
  ORGANIZATION_ROUTES.getMe,
];
const SLUG_CHARS_MAX = 39;

interface ProjectDialogProps {
  /** Null: a new one. */
  project: Project | null;
  onDone: (project: Project) => void;
  onClose: () => void;
}

/** Creates or changes a project. */
export function ProjectDialog({ project, onDone, onClose }: ProjectDialogProps): ReactNode {
  const form = (versioned: Versioned<Project> | null, onReload: () => void): ReactNode => (
    <ProjectForm versioned={versioned} onReload={onReload} onDone={onDone} onClose={onClose} />
  );
  return (
    <Dialog title={project === null ? "Create project" : `Change ${project.name}`} onClose={onClose}>
      {project === null ? (
        form(null, () => undefined)
      ) : (
        <VersionedForm row={ORGANIZATION_ROUTES.getProject} params={{ project_id: project.id }}>
          {form}
        </VersionedForm>
      )}
    </Dialog>
  );
}

interface ProjectFormProps {
  versioned: Versioned<Project> | null;
  onReload: () => void;
  onDone: (project: Project) => void;
  onClose: () => void;
}

function ProjectForm({ versioned, onReload, onDone, onClose }: ProjectFormProps): ReactNode {
  const project = versioned?.value ?? null;
  const [name, setName] = useState(project?.name ?? "");
  const [typedSlug, setSlug] = useState(project?.slug ?? null);
  const [visibility, setVisibility] = useState<Visibility>(project?.visibility ?? "organization");
  const [environment, setEnvironment] = useState(project?.environment ?? "");
  const slug = typedSlug ?? slugOf(name, SLUG_CHARS_MAX);
  const create = useAct(ORGANIZATION_ROUTES.createProject, { changes: CHANGES, onDone });
  const update = useVersionedChange(ORGANIZATION_ROUTES.updateProject, { changes: CHANGES, onDone });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name, slug, visibility };
    const label = environment === "" ? null : environment;
    if (versioned === null) create.mutate({ body: { ...body, ...(label === null ? {} : { environment: label }) } });
    else {
      const { value, etag } = versioned;
      update.mutate({ params: { project_id: value.id }, body: { ...body, environment: label }, etag });
    }
  };
  const fault = slugFault(slug);
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField label="Name" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Slug"
        hint="Part of addresses and commands"
        error={fault}
        required
        maxLength={SLUG_CHARS_MAX}
        className="mono"
        value={slug}
        onChange={(event) => setSlug(event.target.value)}
      />
      {project !== null && slug !== project.slug && (
        <State kind="warn">
          <span className="whitespace-normal">
            Commands and links with <code>{project.slug}</code> stop working. Ids stay valid.
          </span>
        </State>
      )}
      <VisibilityField value={visibility} onChange={setVisibility} />
      <EnvironmentField value={environment} onChange={setEnvironment} />
      <ErrorNote error={create.error} />
      <ChangeError error={update.error} onReload={onReload} />
      <FormActions
        action={project === null ? "Create" : "Save"}
        busy={create.isPending || update.isPending}
        disabled={name === "" || slug === "" || fault !== null || environmentFault(environment) !== null}
        onCancel={onClose}
      />
    </form>
  );
}

function EnvironmentField({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactNode {
  return (
    <>
      <TextField
        label="Environment"
        hint="Shown next to the name. In production, destructive actions show a warning."
        error={environmentFault(value)}
        list="known-environments"
        maxLength={20}
        placeholder="none"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id="known-environments">
        {ENVIRONMENTS.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </>
  );
}

function VisibilityField({ value, onChange }: { value: Visibility; onChange: (value: Visibility) => void }): ReactNode {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">Seen by</legend>
      {(["organization", "private"] as const).map((one) => (
        <label key={one} className="flex items-start gap-2 py-0.5">
          <input
            type="radio"
            name="visibility"
            className="mt-0.5 size-4 shrink-0 accent-sea"
            checked={one === value}
            onChange={() => onChange(one)}
          />
          <span className="min-w-0">
            {VISIBILITY_ABOUT[one].title}
            <span className="block text-s text-ink-2">{VISIBILITY_ABOUT[one].about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
