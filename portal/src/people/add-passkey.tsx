import { PORTAL_ROUTES } from "@mooring/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { useConfirmed } from "~/api/confirmation.tsx";
import { makePasskey } from "~/api/passkeys.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { FormActions } from "~/kit/dialog.tsx";
import { useRenewSession } from "./renew-session.ts";
import { browserText } from "~/pages/account/user-agent.ts";

/** Asks for a name, and then creates a passkey in the browser. */
export function AddPasskey({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }): ReactNode {
  const [name, setName] = useState(() => browserText(navigator.userAgent));
  const queries = useQueryClient();
  const renew = useRenewSession();
  const confirmed = useConfirmed();
  const add = useMutation({
    mutationFn: async () => {
      const begun = await confirmed(() =>
        sessionClient.call(PORTAL_ROUTES.beginPasskey, { body: {}, purpose: "create a passkey" }),
      );
      const made = await makePasskey(begun);
      return confirmed(() =>
        sessionClient.call(PORTAL_ROUTES.createPasskey, {
          body: { ...made, name: name.trim() },
          purpose: "create the passkey",
        }),
      );
    },
    onSuccess: async () => {
      renew();
      await queries.invalidateQueries({ queryKey: ["", PORTAL_ROUTES.listPasskeys.operationId] });
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Name of the passkey"
        hint="For example the device that stores it"
        autoFocus
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ErrorNote error={add.error} />
      <FormActions action="Create" busy={add.isPending} onCancel={onCancel} />
    </form>
  );
}
