import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct } from "~/api/queries.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { notificationCommand } from "./apps.ts";

type Made = ResultOf<typeof ORGANIZATION_ROUTES.createS3Destination>;

/** Creates a destination for events, and shows once the secret that signs them. */
export function CreateDestinationDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("https://");
  const [made, setMade] = useState<Made | null>(null);
  const create = useAct(ORGANIZATION_ROUTES.createS3Destination, {
    changes: [ORGANIZATION_ROUTES.listS3Destinations],
    onDone: setMade,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body: { name, url } });
  };
  if (made !== null) return <MadeDestination made={made} onClose={onClose} />;
  return (
    <Dialog title="Create destination" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          autoFocus
          hint="Letters, digits, _ . and -. The notification configuration of buckets uses it"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,99}"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Address"
          hint="An https address that is reachable from the internet"
          type="url"
          required
          maxLength={2048}
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <ErrorNote error={create.error} />
        <FormActions action="Create" busy={create.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function MadeDestination({ made, onClose }: { made: Made; onClose: () => void }): ReactNode {
  const endpoint = useAddresses()?.s3_endpoint ?? "";
  return (
    <SecretDialog
      title={`${visibleText(made.name)} gets events`}
      label="Signing secret"
      secret={made.secret}
      another="Delete the destination and create it again to get another one."
      onClose={onClose}
    >
      <h3>Let a bucket send its events there</h3>
      <CopyBlock text={notificationCommand(endpoint, "BUCKET", made.arn)} label="Command that subscribes a bucket" />
    </SecretDialog>
  );
}
