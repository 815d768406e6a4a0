import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { ProductionWarning } from "~/app/environment.tsx";
import { useProjectsFor } from "~/app/may.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { consequencesOf } from "./move.ts";
import type { App, Project } from "./types.ts";

/** Moves an app to another project. First shows who will have access. */
export function MoveApp({ app, project, onClose }: { app: App; project: Project; onClose: () => void }): ReactNode {
  const say = useSay();
  const others = useProjectsFor("apps:write").filter(({ id }) => id !== project.id);
  const [chosen, setChosen] = useState("");
  const target = others.find(({ id }) => id === chosen) ?? others[0];
  const move = useAct(ORGANIZATION_ROUTES.moveApp, {
    changes: [ORGANIZATION_ROUTES.listApps, ORGANIZATION_ROUTES.getApp],
    onDone: ({ name, project_slug: to }) => {
      say(`${name} is now in ${to}`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (target !== undefined) move.mutate({ params: { app_id: app.id }, body: { project: target.id } });
  };
  return (
    <Dialog
      title={`Move ${app.name}`}
      about="With its images and its bucket, to another project of the organization."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ProductionWarning projectId={project.id} />
        {target === undefined ? (
          <p>There is no other project where you have apps:write.</p>
        ) : (
          <>
            <SelectField label="To" value={target.id} onChange={(event) => setChosen(event.target.value)}>
              {others.map(({ id, name, slug }) => (
                <option key={id} value={id}>
                  {name} ({slug})
                </option>
              ))}
            </SelectField>
            <ul className="flex list-disc flex-col gap-1 pl-5" aria-live="polite">
              {consequencesOf(app, project, target).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </>
        )}
        <ErrorNote error={move.error} />
        <FormActions
          action="Move the app"
          look="danger"
          busy={move.isPending}
          disabled={target === undefined}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
