import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { CopyButton } from "~/kit/copy.tsx";
import { FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { QrCode } from "./qr-code.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { useRenewSession } from "./renew-session.ts";

export interface TotpSecret {
  readonly secret: string;
  readonly uri: string;
}

/** Shows the secret to the app, asks for the first code, then shows the recovery codes. */
export function TotpSetup({
  begun,
  onDone,
  onCancel,
}: {
  begun: TotpSecret;
  onDone: () => void;
  onCancel: () => void;
}): ReactNode {
  const [code, setCode] = useState("");
  const renew = useRenewSession();
  const confirm = useAct(PORTAL_ROUTES.confirmTotp, { onDone: renew });
  if (confirm.data !== undefined) return <RecoveryCodes codes={confirm.data.recovery_codes} onDone={onDone} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirm.mutate({ body: { code: code.replaceAll(/\D/g, "") }, purpose: "turn on the authenticator app" });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-4">
        <QrCode
          text={begun.uri}
          label="QR code with the secret for an authenticator app. You can type the secret instead"
        />
        <p className="min-w-0 flex-1 basis-40">
          Scan this with an authenticator app on your phone, or with a password manager.
        </p>
      </div>
      <div className="flex flex-col gap-1">
        <p className="text-s text-ink-2">Or enter this secret (time-based, 6 digits, 30 seconds):</p>
        <div className="flex items-start gap-2 rounded border border-line bg-well py-1.5 pr-1.5 pl-2.5">
          <code className="min-w-0 flex-1 py-1">{inGroups(begun.secret)}</code>
          <CopyButton text={begun.secret} />
        </div>
      </div>
      <TextField
        label="The current code in the app"
        hint="If it is refused, check the clock of your phone."
        className="mono"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
        autoFocus
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <ErrorNote error={confirm.error} />
      <FormActions
        action="Turn on"
        busy={confirm.isPending}
        disabled={!/^\d{6}$/.test(code.replaceAll(/\D/g, ""))}
        onCancel={onCancel}
      />
    </form>
  );
}

/** Splits the secret into groups of four, to read and type it. */
function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
