import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { useSay } from "~/kit/toast.tsx";
import { RecoveryCodes } from "~/people/recovery-codes.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { TotpSetup, type TotpSecret } from "~/people/totp-setup.tsx";

const FEW = 3;

/** The authenticator app and its recovery codes. */
export function TotpSection(): ReactNode {
  const { security } = useSession();
  const [begun, setBegun] = useState<TotpSecret | null>(null);
  const say = useSay();
  const close = (): void => setBegun(null);
  return (
    <>
      {security.has_totp ? <TotpOn left={security.recovery_codes_left} /> : <TotpOff onBegun={setBegun} />}
      {begun !== null && (
        <Dialog title="Set up an authenticator app" onClose={close}>
          <TotpSetup
            begun={begun}
            onCancel={close}
            onDone={() => {
              close();
              say("The authenticator app is set up. From the next sign-in on, you need its code.");
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function TotpOff({ onBegun }: { onBegun: (begun: TotpSecret) => void }): ReactNode {
  const begin = useAct(PORTAL_ROUTES.beginTotp, { onDone: onBegun });
  return (
    <Section
      title="Authenticator app"
      actions={
        <Button
          busy={begin.isPending}
          onClick={() => begin.mutate({ body: {}, purpose: "set up an authenticator app" })}
        >
          Set up an app
        </Button>
      }
    >
      <State kind="none">off</State>
      <p className="max-w-[72ch] text-ink-2">
        Sign-in asks for a code of six digits after the password. If you lose the phone, you can use one of ten recovery
        codes.
      </p>
      <ErrorNote error={begin.error} />
    </Section>
  );
}

function TotpOn({ left }: { left: number }): ReactNode {
  const [open, setOpen] = useState<"codes" | "off" | null>(null);
  const say = useSay();
  const renew = useRenewSession();
  const close = (): void => setOpen(null);
  const renewCodes = useAct(PORTAL_ROUTES.createRecoveryCodes, { onDone: renew });
  const closeCodes = (): void => {
    close();
    renewCodes.reset();
  };
  const turnOff = useAct(PORTAL_ROUTES.deleteTotp, {
    onDone: () => {
      close();
      renew();
      say("The authenticator app is off.");
    },
  });
  return (
    <Section
      title="Authenticator app"
      actions={
        <>
          <Button onClick={() => setOpen("codes")}>Create recovery codes</Button>
          <Button look="danger" onClick={() => setOpen("off")}>
            Turn off
          </Button>
        </>
      }
    >
      <p className="flex flex-wrap gap-x-5 gap-y-1">
        <State kind="go">on: sign-in asks for a code after the password</State>
        <State kind={left > FEW ? "go" : left > 0 ? "warn" : "stop"}>{plural(left, "recovery code")} left</State>
      </p>
      {left <= FEW && <p>Create new recovery codes before you need one: without them a lost phone locks you out.</p>}
      {open === "codes" && renewCodes.data === undefined && (
        <DangerDialog
          title="Create recovery codes"
          about={`The ${plural(left, "code")} that you have left stop working at once.`}
          action="Create"
          busy={renewCodes.isPending}
          error={renewCodes.error}
          onConfirm={() => renewCodes.mutate({ body: {} })}
          onClose={close}
        />
      )}
      {open === "codes" && renewCodes.data !== undefined && (
        <Dialog title="Your new recovery codes" onClose={closeCodes}>
          <RecoveryCodes codes={renewCodes.data.recovery_codes} onDone={closeCodes} />
        </Dialog>
      )}
      {open === "off" && (
        <DangerDialog
          title="Turn off the authenticator app"
          about="Then you sign in with only the password. The recovery codes and the codes in the app stop working."
          type="turn off"
          action="Turn off"
          busy={turnOff.isPending}
          error={turnOff.error}
          onConfirm={() => turnOff.mutate({})}
          onClose={close}
        />
      )}
    </Section>
  );
}
