import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";

const CHECK = `import { Webhook } from "standardwebhooks";
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers); // throws when it is not ours`;

/** A secret that is shown once, and how its receiver uses it. */
export function SecretShown({
  title,
  secret,
  onClose,
}: {
  title: string;
  secret: string;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog
      holdsSecret
      title={title}
      about="The secret is shown only once. The receiver checks signatures with it."
      onClose={onClose}
      wide
    >
      <div className="flex flex-col gap-1">
        <h3>Secret</h3>
        <CopyBlock text={secret} label="Secret of the destination" />
      </div>
      <div className="flex flex-col gap-1">
        <h3>At the receiver</h3>
        <CopyBlock text={`WEBHOOK_SECRET=${secret}`} label="Line for a .env file" />
        <CopyBlock text={CHECK} label="Code that checks a signature" />
        <p className="text-ink-2">
          Any library for Standard Webhooks works. A repeated delivery has the same <code>webhook-id</code>; drop
          repetitions by it.
        </p>
      </div>
      <DialogActions>
        <Button look="main" onClick={onClose}>
          I have saved the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
