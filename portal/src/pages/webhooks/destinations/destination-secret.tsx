import type { ReactNode } from "react";
import { CopyBlock } from "~/kit/copy.tsx";
import { SecretDialog } from "~/kit/secret-dialog.tsx";

const CHECK = `import { Webhook } from "standardwebhooks";
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers); // throws if the signature is wrong`;

/** Shows the secret that signs deliveries, and how the receiver uses it. */
export function DestinationSecret({
  title,
  secret,
  onClose,
}: {
  title: string;
  secret: string | null;
  onClose: () => void;
}): ReactNode {
  return (
    <SecretDialog
      title={title}
      label="Signing secret"
      secret={secret}
      another="Rotate the secret of the destination to get another one."
      onClose={onClose}
    >
      <div className="flex flex-col gap-1">
        <h3>At the receiver</h3>
        <CopyBlock text={`WEBHOOK_SECRET=${secret ?? "whsec_…"}`} label="Line for a .env file" />
        <CopyBlock text={CHECK} label="Code that checks a signature" />
        <p className="text-ink-2">
          Any library for Standard Webhooks works. A repeated delivery has the same <code>webhook-id</code>, so that the
          receiver can ignore repetitions.
        </p>
      </div>
    </SecretDialog>
  );
}
