import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import type { App } from "./apps.ts";

/** Changes what people call an app; its slug is an address and stays. */
export function RenameDialog({ app, onClose }: { app: App; onClose: () => void }): ReactNode {
  const [name, setName] = useState(app.name);
  const rename = useAct(ORGANIZATION_ROUTES.updateApp, {
    changes: [ORGANIZATION_ROUTES.listApps, ORGANIZATION_ROUTES.getApp],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate({ params: { app_id: app.slug }, body: { name: name.trim() } });
  };
  return (
    <Dialog title="Rename" about={`The address of the bucket stays ${app.bucket}.`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          autoFocus
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorNote error={rename.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={rename.isPending} disabled={name.trim() === ""}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
