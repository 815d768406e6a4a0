import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { OVERLAPS } from "../setup/overlaps.ts";
import type { Destination } from "./destination-state.tsx";
import { SecretShown } from "./secret-shown.tsx";
import { visibleText } from "~/kit/foreign.ts";

/** Replaces the secret that signs what is handed on; both sign until the receiver has the new one. */
export function RotateDestinationSecret({
  destination,
  onClose,
}: {
  destination: Destination;
  onClose: () => void;
}): ReactNode {
  const [overlapS, setOverlapS] = useState(86_400);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAct(WEBHOOK_ROUTES.rotateWebhookDestinationSecret, { onDone: (made) => setSecret(made.secret) });
  if (secret !== null) return <SecretShown title="The new secret" secret={secret} onClose={onClose} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const params = { webhook_id: destination.webhook_id, destination_id: destination.id };
    rotate.mutate({ params, body: { overlap_s: overlapS } });
  };
  return (
    <Dialog title="Rotate the secret" about={`Of what is sent to ${visibleText(destination.name)}.`} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <SelectField
          label="The former one signs as well for"
          hint="Long enough for the receiver to get the new one. Each request has both signatures until then."
          value={overlapS}
          onChange={(event) => setOverlapS(Number(event.target.value))}
        >
          {OVERLAPS.map(([seconds, title]) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </SelectField>
        <ErrorNote error={rotate.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={rotate.isPending}>
            Rotate
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
