import { FILE_ROUTES, type ResultOf } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, TextField } from "~/kit/field.tsx";
import { Loaded } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { filesChanged } from "./changed.ts";

const DAYS_MAX = 90;

/** How long the organization keeps what is deleted. */
export function TrashDaysDialog({ onClose }: { onClose: () => void }): ReactNode {
  const result = useRead(FILE_ROUTES.getFileSettings, {});
  return (
    <Dialog
      title="How long deleted files are kept"
      about="It holds for the whole organization, and for what is in the trash already."
      onClose={onClose}
    >
      <Loaded result={result}>{({ data }) => <DaysForm settings={data} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

interface DaysFormProps {
  settings: ResultOf<typeof FILE_ROUTES.getFileSettings>["data"];
  onClose: () => void;
}

function DaysForm({ settings, onClose }: DaysFormProps): ReactNode {
  const { slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const [isDefault, setDefault] = useState(settings.trash_days === null);
  const [text, setText] = useState(String(settings.effective_trash_days));
  const isWrong = !isDefault && !(/^\d{1,2}$/.test(text) && Number(text) <= DAYS_MAX);
  const change = useAct(FILE_ROUTES.updateFileSettings, {
    onDone: () => {
      say("Saved");
      void filesChanged(queries, slug);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong) change.mutate({ body: { trash_days: isDefault ? null : Number(text) } });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Checkbox
        label="As the server is set"
        checked={isDefault}
        onChange={({ target }) => setDefault(target.checked)}
      />
      <TextField
        label="Days"
        hint="0 to 90. With 0, what is deleted is gone at once, and the trash is emptied within a minute."
        inputMode="numeric"
        value={text}
        disabled={isDefault}
        error={isWrong ? "A whole number from 0 to 90" : null}
        onChange={({ target }) => setText(target.value)}
      />
      <ErrorNote error={change.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" type="submit" busy={change.isPending} disabled={isWrong}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}
