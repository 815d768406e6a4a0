import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import type { Account } from "./types.ts";

/** Creates a one-time link for a person to set a new password. It is shown once. */
export function ResetLinkDialog({ account, onClose }: { account: Account; onClose: () => void }): ReactNode {
  const [clears, setClears] = useState(false);
  const make = useAct(PORTAL_ROUTES.createResetLink);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate({
      params: { user_id: account.id },
      body: { clear_second_factor: clears },
      purpose: "create the reset link",
    });
  };
  if (make.data !== undefined)
    return (
      <Dialog holdsSecret title={`Reset link for ${account.email}`} onClose={onClose} wide>
        <p>
          Send it to the person. Make sure that only they can read it. It works once, until{" "}
          <Time at={make.data.expires_at} />.
        </p>
        <CopyBlock text={make.data.reset_url} label="Reset link" />
        <State kind="warn">
          <span className="whitespace-normal">It is shown only once.</span>
        </State>
        <DialogActions>
          <Button look="main" onClick={onClose}>
            I have sent it
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <Dialog title="Create reset link" about={account.email} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <p>
          The person who opens the link sets a new password for this account, and all its sessions end. Make sure that
          only the owner of this address gets the link.
          {account.verified_at === null &&
            " The address is not verified, so all earlier sign-in methods are removed too."}
        </p>
        {account.has_second_factor && account.verified_at !== null && (
          <Checkbox
            label="Remove the authenticator app and the recovery codes"
            why="For a person who has lost them. Otherwise the sign-in still asks for a code."
            checked={clears}
            onChange={(event) => setClears(event.target.checked)}
          />
        )}
        <ErrorNote error={make.error} />
        <FormActions action="Create" busy={make.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
