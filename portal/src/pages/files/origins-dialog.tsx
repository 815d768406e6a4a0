import { FILE_ROUTES, type ResultOf } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { Field, TextArea } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm } from "~/kit/versioned.tsx";
import { filesChanged } from "./changed.ts";
import { readOrigins } from "./origins.ts";

/** Sets the origins whose pages may upload files. */
export function OriginsDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog
      title="Pages that may upload"
      about="Pages of these origins may upload files of the organization from a browser, with an access token. Applies to the whole organization."
      onClose={onClose}
    >
      <VersionedForm row={FILE_ROUTES.getFileSettings} params={{}}>
        {({ value, etag }, onReload) => (
          <OriginsForm settings={value.data} etag={etag} onReload={onReload} onClose={onClose} />
        )}
      </VersionedForm>
    </Dialog>
  );
}

interface OriginsFormProps {
  settings: ResultOf<typeof FILE_ROUTES.getFileSettings>["data"];
  etag: string | null;
  onReload: () => void;
  onClose: () => void;
}

function OriginsForm({ settings, etag, onReload, onClose }: OriginsFormProps): ReactNode {
  const { slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const [text, setText] = useState(settings.allowed_origins.join("\n"));
  const { origins, fault } = readOrigins(text);
  const change = useVersionedChange(FILE_ROUTES.updateFileSettings, {
    onDone: () => {
      say("Saved");
      void filesChanged(queries, slug);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === null) change.mutate({ params: {}, body: { allowed_origins: [...origins] }, etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Allowed origins"
        hint="One on each line: https or http, the host, and the port if it is not the usual one. Empty: none."
        error={fault}
      >
        {(bound) => (
          <TextArea
            {...bound}
            className="min-h-14 font-mono"
            rows={4}
            value={text}
            placeholder="https://app.example.com"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <ChangeError error={change.error} onReload={onReload} />
      <FormActions action="Save" busy={change.isPending} disabled={fault !== null} onCancel={onClose} />
    </form>
  );
}
