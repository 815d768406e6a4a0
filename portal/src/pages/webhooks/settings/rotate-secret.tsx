import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { TextField } from "~/kit/field.tsx";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { useSay } from "~/kit/toast.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

/** Replaces the secret with which senders sign. During the overlap, both secrets are valid. */
export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const say = useSay();
  const [given, setGiven] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const rotate = useAct(WEBHOOK_ROUTES.rotateWebhookSecret, {
    changes: [WEBHOOK_ROUTES.getWebhook],
    onDone: ({ secret }) => {
      setMade(secret);
      say("The new secret is valid now");
      if (secret === null) onClose();
    },
  });
  if (made !== null)
    return (
      <SecretDialog
        title="The new secret"
        label="Secret of the webhook"
        secret={made}
        another="Rotate the secret again to get another one."
        onClose={onClose}
      >
        <p className="text-ink-2">Set it at the sender.</p>
      </SecretDialog>
    );
  const body = (seconds: number) => ({ ...(given === "" ? {} : { secret: given }), overlap_s: seconds });
  return (
    <ReplaceDialog
      title="Rotate secret"
      projectId={webhook.project_id}
      about="The sender signs its requests with this secret."
      label="The old secret works for another"
      action="Rotate"
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params: { webhook_id: webhook.id }, body: body(seconds) })}
      onClose={onClose}
    >
      <TextField
        label="New secret"
        hint="It must be the same at the sender. Empty: a secret is created and shown once."
        type="password"
        autoComplete="off"
        minLength={8}
        maxLength={500}
        value={given}
        onChange={(event) => setGiven(event.target.value)}
      />
    </ReplaceDialog>
  );
}
