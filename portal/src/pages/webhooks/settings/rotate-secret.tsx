import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { OVERLAPS } from "../setup/overlaps.ts";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

/** Replaces what senders sign by; the former secret counts as well until all of them have the new one. */
export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const say = useSay();
  const [given, setGiven] = useState("");
  const [overlapS, setOverlapS] = useState(86_400);
  const [made, setMade] = useState<string | null>(null);
  const rotate = useAct(WEBHOOK_ROUTES.rotateWebhookSecret, {
    changes: [WEBHOOK_ROUTES.getWebhook],
    onDone: ({ secret }) => {
      setMade(secret);
      say("The new secret counts from now on");
      if (secret === null) onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rotate.mutate({
      params: { webhook_id: webhook.id },
      body: { ...(given === "" ? {} : { secret: given }), overlap_s: overlapS },
    });
  };
  if (made !== null)
    return (
      <Dialog holdsSecret title="The new secret" about="Shown once. Set it at the sender." onClose={onClose}>
        <CopyBlock text={made} label="Secret of the webhook" />
      </Dialog>
    );
  return (
    <Dialog title="Rotate the secret" about="What the sender signs by." onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label="New secret"
          hint="As it is set at the sender. Empty: one is made, and shown once."
          type="password"
          autoComplete="off"
          minLength={8}
          maxLength={500}
          value={given}
          onChange={(event) => setGiven(event.target.value)}
        />
        <SelectField
          label="The former one counts as well for"
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
