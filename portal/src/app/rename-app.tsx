import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { TextField } from "~/kit/field.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";

type App = ResultOf<typeof ORGANIZATION_ROUTES.getApp>;

/** Changes an app's name. The slug stays, because it is part of addresses. */
export function RenameApp({
  app,
  onClose,
}: {
  app: Pick<App, "slug" | "name" | "bucket">;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog
      title={`Rename ${app.name}`}
      about={`The repository and the bucket are still named ${app.bucket}.`}
      onClose={onClose}
    >
      <VersionedForm row={ORGANIZATION_ROUTES.getApp} params={{ app_id: app.slug }}>
        {(versioned, onReload) => <NameForm versioned={versioned} onReload={onReload} onClose={onClose} />}
      </VersionedForm>
    </Dialog>
  );
}

interface FormProps {
  versioned: Versioned<App>;
  onReload: () => void;
  onClose: () => void;
}

function NameForm({ versioned: { value: app, etag }, onReload, onClose }: FormProps): ReactNode {
  const [name, setName] = useState(app.name);
  const rename = useVersionedChange(ORGANIZATION_ROUTES.updateApp, {
    changes: [ORGANIZATION_ROUTES.listApps, ORGANIZATION_ROUTES.getApp],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate({ params: { app_id: app.slug }, body: { name: name.trim() }, etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        autoFocus
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ChangeError error={rename.error} onReload={onReload} />
      <FormActions
        action="Save"
        busy={rename.isPending}
        disabled={name.trim() === "" || name.trim() === app.name}
        onCancel={onClose}
      />
    </form>
  );
}
