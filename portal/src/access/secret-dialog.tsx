import { useState, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";

interface SecretProps {
  title: string;
  /** The way to get another secret once this one is lost. */
  another: string;
  /** False when the answer was a repeated one, which carries no secret. */
  hasSecret: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a secret once. The first attempt to close it without the button asks again. */
export function SecretDialog({ title, another, hasSecret, onClose, children }: SecretProps): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const close = (): void => (!hasSecret || isAsked ? onClose() : setIsAsked(true));
  return (
    <Dialog
      holdsSecret
      title={title}
      about="The secret is shown only once. Save it before you close this dialog."
      onClose={close}
      wide
    >
      {isAsked && (
        <p role="alert" className="rounded border border-warn bg-warn-2 px-3 py-2">
          The secret cannot be shown again. {another} To close the dialog without saving it, close it once more.
        </p>
      )}
      {!hasSecret && <p>The request was repeated, and a secret is shown only once. {another}</p>}
      {children}
      <DialogActions>
        <Button look="main" onClick={onClose}>
          I have saved the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
