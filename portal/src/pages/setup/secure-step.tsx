import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { AddPasskey } from "~/people/add-passkey.tsx";
import { PasskeyPlace } from "~/people/passkey-place.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";
import { TotpSetup } from "~/people/totp-setup.tsx";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { State } from "~/kit/state.tsx";

/** Offers a passkey or an authenticator app, because a password alone does not protect an owner enough. */
export function SecureStep({ onNext }: { onNext: () => void }): ReactNode {
  const { security } = useSession();
  const { hasPasskeys } = useSignInMethods();
  const [open, setOpen] = useState<"passkey" | "totp" | null>(null);
  const begin = useAct(PORTAL_ROUTES.beginTotp, { onDone: () => setOpen("totp") });
  const close = (): void => setOpen(null);
  const isSecured = security.passkeys > 0 || security.has_totp;
  if (open === "passkey") return <AddPasskey onDone={close} onCancel={close} />;
  if (open === "totp" && begin.data !== undefined)
    return <TotpSetup begun={begin.data} onDone={close} onCancel={close} />;
  return (
    <div className="flex flex-col gap-4">
      <Way
        title="Passkey"
        about="Your device or password manager signs you in, without a password that somebody could steal."
        done={security.passkeys > 0 ? "created" : null}
      >
        <PasskeyPlace />
        {hasPasskeys && (
          <Button look={isSecured ? "plain" : "main"} onClick={() => setOpen("passkey")}>
            {security.passkeys > 0 ? "Create another passkey" : "Create passkey"}
          </Button>
        )}
      </Way>
      <Way
        title="Authenticator app"
        about="You sign in with your password and a code of six digits. Recovery codes help if you lose the phone."
        done={security.has_totp ? "on" : null}
      >
        {!security.has_totp && (
          <Button
            look={isSecured || hasPasskeys ? "plain" : "main"}
            busy={begin.isPending}
            onClick={() => begin.mutate({ body: {} })}
          >
            Set up an app
          </Button>
        )}
        <ErrorNote error={begin.error} />
      </Way>
      <div className="flex flex-wrap items-center justify-end gap-3 border-t border-line pt-4">
        {!isSecured && <p className="text-s text-ink-2">You can do this later, under Account.</p>}
        <Button look={isSecured ? "main" : "plain"} onClick={onNext}>
          {isSecured ? "Continue" : "Later"}
        </Button>
      </div>
    </div>
  );
}

function Way({
  title,
  about,
  done,
  children,
}: {
  title: string;
  about: string;
  done: string | null;
  children: ReactNode;
}): ReactNode {
  return (
    <section className="flex flex-col items-start gap-2 border-t border-line pt-3">
      <h2 className="flex items-center gap-3">
        {title} {done !== null && <State kind="go">{done}</State>}
      </h2>
      <p className="text-ink-2">{about}</p>
      {children}
    </section>
  );
}
