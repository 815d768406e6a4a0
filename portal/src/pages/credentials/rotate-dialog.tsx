import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import type { Credential, NewCredential } from "./types.ts";

const OVERLAPS: readonly (readonly [seconds: number, title: string])[] = [
  [3600, "1 hour"],
  [86_400, "1 day"],
  [7 * 86_400, "7 days"],
  [30 * 86_400, "30 days"],
  [0, "Not at all: it leaked"],
];

/** Makes a new secret; the old one goes on for as long as it takes to put the new one everywhere. */
export function RotateDialog({
  credential,
  onRotated,
  onClose,
}: {
  credential: Credential;
  onRotated: (made: NewCredential) => void;
  onClose: () => void;
}): ReactNode {
  const [overlap, setOverlap] = useState(86_400);
  const rotate = useAct(ORGANIZATION_ROUTES.rotateCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential],
    onDone: onRotated,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rotate.mutate({ params: { credential_id: credential.id }, body: { overlap_seconds: overlap } });
  };
  return (
    <Dialog
      title={`Rotate ${credential.name}`}
      about="A new secret is made and shown once. The client id and the permissions stay."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label="The present secret goes on working for"
          value={overlap}
          onChange={(event) => setOverlap(Number(event.target.value))}
        >
          {OVERLAPS.map(([seconds, title]) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </SelectField>
        {overlap === 0 && (
          <State kind="warn">
            <span className="whitespace-normal">
              The present secret and every token that was issued end at once: what uses them fails until it has the new
              one.
            </span>
          </State>
        )}
        {credential.secrets.length > 1 && (
          <State kind="warn">
            <span className="whitespace-normal">
              It has two secrets already. The older one, ending in <code>{credential.secrets.at(-1)?.hint}</code>, ends
              now.
            </span>
          </State>
        )}
        <ErrorNote error={rotate.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={rotate.isPending}>
            Make a new secret
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
