import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";

export interface ShownSecret {
  readonly secret: string;
  /** Until when the one before signs as well. */
  readonly formerUntil: string | null;
}

/** The secret of an alert, this once. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose: () => void }): ReactNode {
  return (
    <Dialog
      holdsSecret
      title="Keep this secret"
      about="It is shown only once. The receiver checks signatures with it."
      onClose={onClose}
    >
      <CopyBlock text={shown.secret} label="secret of the alert" />
      <p className="text-ink-2">
        Messages are signed as Standard Webhooks describes: <code>webhook-signature</code> is the HMAC-SHA-256 of{" "}
        <code>id.timestamp.body</code> by this secret.
        {shown.formerUntil !== null && ` The old secret still signs until ${shown.formerUntil}.`}
      </p>
      <DialogActions>
        <Button look="main" onClick={onClose}>
          I have saved the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
