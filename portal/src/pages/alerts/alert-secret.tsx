import type { ReactNode } from "react";
import { SecretDialog } from "~/kit/secret-dialog.tsx";

export interface ShownSecret {
  /** Null in a repeated answer. */
  readonly secret: string | null;
  /** When the old secret stops signing. */
  readonly formerUntil: string | null;
}

/** Shows the secret that signs the messages of an alert. */
export function AlertSecret({ shown, onClose }: { shown: ShownSecret; onClose: () => void }): ReactNode {
  return (
    <SecretDialog
      title="Secret of the alert"
      label="Signing secret"
      secret={shown.secret}
      another="Rotate the secret of the alert to get another one."
      onClose={onClose}
    >
      <p className="text-ink-2">
        Messages are signed as Standard Webhooks describes: <code>webhook-signature</code> is the HMAC-SHA-256 of{" "}
        <code>id.timestamp.body</code> by this secret.
        {shown.formerUntil !== null && ` The old secret also signs until ${shown.formerUntil}.`}
      </p>
    </SecretDialog>
  );
}
