import { PORTAL_ROUTES } from "@mooring/contract";
import { startAuthentication } from "@simplewebauthn/browser";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { sessionQuery, useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";

/** Asks once more who is there, by password or passkey, before something dangerous. */
export function ConfirmationDialog({ onClose }: { onClose: (confirmed: boolean) => void }): ReactNode {
  const { security } = useSession();
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: (by: "password" | "passkey") => (by === "password" ? byPassword(password, code) : byPasskey()),
    onSuccess: async () => {
      onClose(true);
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirm.mutate("password");
  };
  return (
    <Dialog
      title="Confirm that it is you"
      about="For what you are about to do, for the next ten minutes."
      onClose={() => onClose(false)}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        {security.has_password && (
          <>
            <TextField
              label="Password"
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
            {security.has_totp && (
              <TextField
                label="Code of your authenticator app"
                inputMode="numeric"
                autoComplete="one-time-code"
                pattern="[0-9]{6}"
                required
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            )}
          </>
        )}
        <ErrorNote error={confirm.error} />
        <DialogActions>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          {security.passkeys > 0 && (
            <Button
              onClick={() => confirm.mutate("passkey")}
              busy={confirm.isPending && confirm.variables === "passkey"}
            >
              Use a passkey
            </Button>
          )}
          {security.has_password && (
            <Button look="main" type="submit" busy={confirm.isPending && confirm.variables === "password"}>
              Confirm
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

async function byPassword(password: string, code: string): Promise<void> {
  await sessionClient.call(PORTAL_ROUTES.confirmSession, { body: { password, ...(code === "" ? {} : { code }) } });
}

async function byPasskey(): Promise<void> {
  const { ticket, options } = await sessionClient.call(PORTAL_ROUTES.beginConfirmation, { body: {} });
  const response = await startAuthentication({ optionsJSON: options as never });
  await sessionClient.call(PORTAL_ROUTES.confirmSession, { body: { ticket, response: { ...response } } });
}
