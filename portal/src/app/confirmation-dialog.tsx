import { PORTAL_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { showPasskey } from "~/api/passkeys.ts";
import { useSession, type SignedIn } from "~/api/session.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { TextField } from "~/kit/field.tsx";
import { PasswordField } from "~/kit/password-field.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { useSignInMethods } from "~/people/sign-in-methods.ts";
import { Failure, useWaitS } from "~/people/failure.tsx";

const PURPOSE = "confirm that it is you";

/** Asks the person to confirm their identity, by password or passkey, before a dangerous act. */
export function ConfirmationDialog({ onClose }: { onClose: (confirmed: boolean) => void }): ReactNode {
  const { security, user } = useSession();
  const { hasPasskeys } = useSignInMethods();
  const renew = useRenewSession();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: (by: "password" | "passkey") => (by === "password" ? byPassword(password, code) : byPasskey()),
    onSuccess: () => {
      onClose(true);
      renew();
    },
  });
  const waitS = useWaitS(confirm.error);
  const byKey = security.passkeys > 0 && hasPasskeys;
  const isBusy = (by: "password" | "passkey"): boolean => confirm.isPending && confirm.variables === by;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirm.mutate(security.has_password ? "password" : "passkey");
  };
  return (
    <Dialog
      title="Confirm that it is you"
      about="For this action, and for the next ten minutes."
      onClose={() => onClose(false)}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        {security.has_password && (
          <PasswordFields
            email={user.email}
            hasTotp={security.has_totp}
            password={password}
            onPassword={setPassword}
            code={code}
            onCode={setCode}
          />
        )}
        {!security.has_password && <SignInAgain security={security} otherwise={byKey} />}
        <Failure error={confirm.error} waitS={waitS} />
        <DialogActions>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          {byKey && (
            <Button
              look={security.has_password ? "plain" : "main"}
              autoFocus={!security.has_password}
              disabled={waitS > 0}
              busy={isBusy("passkey")}
              onClick={() => confirm.mutate("passkey")}
            >
              Use a passkey
            </Button>
          )}
          {security.has_password && (
            <Button look="main" type="submit" disabled={waitS > 0} busy={isBusy("password")}>
              Confirm
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface PasswordFieldsProps {
  email: string;
  hasTotp: boolean;
  password: string;
  onPassword: (password: string) => void;
  code: string;
  onCode: (code: string) => void;
}

function PasswordFields({ email, hasTotp, password, onPassword, code, onCode }: PasswordFieldsProps): ReactNode {
  return (
    <>
      {/* Password managers need the user name. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        autoFocus
        required
        value={password}
        onChange={(event) => onPassword(event.target.value)}
      />
      {hasTotp && (
        <TextField
          label="Code of your authenticator app"
          className="mono"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={8}
          required
          value={code}
          onChange={(event) => onCode(event.target.value)}
        />
      )}
    </>
  );
}

/** For people without a password or a usable passkey. A new sign-in counts as a confirmation. */
function SignInAgain({
  security,
  otherwise,
}: {
  security: SignedIn["security"];
  /** Whether the person can also use a passkey, which may be lost. */
  otherwise: boolean;
}): ReactNode {
  const { methods } = useSignInMethods();
  if (methods === undefined || (otherwise && methods.oidc === null)) return null;
  const here = encodeURIComponent(location.pathname + location.search);
  if (methods.oidc !== null)
    return (
      <>
        <p>
          {otherwise
            ? "Use your passkey, or sign in at the other service"
            : "You sign in with another service. Sign in there"}{" "}
          again, come back here, and repeat the action.
        </p>
        <a
          href={`/api/sign-in/oidc?return_to=${here}`}
          className={buttonClass(otherwise ? "plain" : "main", "self-start")}
        >
          {methods.oidc.name}
        </a>
      </>
    );
  return (
    <p>
      {security.passkeys > 0
        ? "Your passkeys can’t be used at this address or in this browser. Open the portal at the address, and in the browser, where you used one before."
        : "Your account has neither a password nor a passkey. Ask the operator of the server for a set-up link."}
    </p>
  );
}

async function byPassword(password: string, code: string): Promise<void> {
  const digits = code.replaceAll(/\D/g, "");
  const body = { password, ...(digits === "" ? {} : { code: digits }) };
  await sessionClient.call(PORTAL_ROUTES.confirmSession, { body, purpose: PURPOSE });
}

async function byPasskey(): Promise<void> {
  const body = await showPasskey(() =>
    sessionClient.call(PORTAL_ROUTES.beginConfirmation, { body: {}, purpose: PURPOSE }),
  );
  await sessionClient.call(PORTAL_ROUTES.confirmSession, { body, purpose: PURPOSE });
}
