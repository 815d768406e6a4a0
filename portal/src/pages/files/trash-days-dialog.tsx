import { FILE_ROUTES, type ResultOf } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { Checkbox, TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm } from "~/kit/versioned.tsx";
import { filesChanged } from "./changed.ts";

const DAYS_MAX = 90;

/** Sets how long the organization keeps deleted files. */
export function TrashDaysDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog
      title="How long deleted files are kept"
      about="Applies to the whole organization, and also to files that are already in the trash."
      onClose={onClose}
    >
      <VersionedForm row={FILE_ROUTES.getFileSettings} params={{}}>
        {({ value, etag }, onReload) => (
          <DaysForm settings={value.data} etag={etag} onReload={onReload} onClose={onClose} />
        )}
      </VersionedForm>
    </Dialog>
  );
}

interface DaysFormProps {
  settings: ResultOf<typeof FILE_ROUTES.getFileSettings>["data"];
  etag: string | null;
  onReload: () => void;
  onClose: () => void;
}

function DaysForm({ settings, etag, onReload, onClose }: DaysFormProps): ReactNode {
  const { slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const [isDefault, setDefault] = useState(settings.trash_days === null);
  const [text, setText] = useState(String(settings.effective_trash_days));
  const isWrong = !isDefault && !(/^\d{1,2}$/.test(text) && Number(text) <= DAYS_MAX);
  const change = useVersionedChange(FILE_ROUTES.updateFileSettings, {
    onDone: () => {
      say("Saved");
      void filesChanged(queries, slug);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong) change.mutate({ params: {}, body: { trash_days: isDefault ? null : Number(text) }, etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Checkbox
        label="The server's default"
        checked={isDefault}
        onChange={({ target }) => setDefault(target.checked)}
      />
      <TextField
        label="Days"
        hint="0 to 90. With 0, files are deleted for good at once, and the trash is emptied within a minute."
        inputMode="numeric"
        value={text}
        disabled={isDefault}
        error={isWrong ? "A whole number from 0 to 90" : null}
        onChange={({ target }) => setText(target.value)}
      />
      <ChangeError error={change.error} onReload={onReload} />
      <FormActions action="Save" busy={change.isPending} disabled={isWrong} onCancel={onClose} />
    </form>
  );
}
