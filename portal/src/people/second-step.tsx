import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { showPasskey } from "~/api/passkeys.ts";
import { Button } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { Failure, useWaitS } from "./failure.tsx";

export type StepResult = ResultOf<typeof PORTAL_ROUTES.signInWithPassword>;
export type SecondStepNeeded = StepResult & { readonly ticket: string };
type Method = StepResult["methods"][number];

const OTHERS: Record<Method, string> = {
  totp: "Use the authenticator app",
  recovery_code: "Use a recovery code",
  passkey: "Use a passkey",
};
/** The lifetime of the server's ticket for the first step. */
const TICKET_MS = 5 * 60_000;

/** Asks for the second factor after the password: a code or a passkey. */
export function SecondStep({
  needed,
  onDone,
  onRestart,
}: {
  needed: SecondStepNeeded;
  onDone: (step: StepResult) => void;
  onRestart: () => void;
}): ReactNode {
  const first = needed.methods.find((each) => each !== "recovery_code") ?? "recovery_code";
  const [method, setMethod] = useState<Method>(first);
  const isOver = useIsOver(needed.ticket);
  if (isOver)
    return (
      <>
        <p role="alert">The sign-in took more than five minutes. Sign in again.</p>
        <Button look="main" onClick={onRestart}>
          Start again
        </Button>
      </>
    );
  return (
    <>
      {method === "passkey" ? (
        <ByPasskey onDone={onDone} />
      ) : (
        <ByCode key={method} method={method} ticket={needed.ticket} onDone={onDone} />
      )}
      <div className="flex flex-wrap gap-2 border-t border-line pt-3">
        {needed.methods
          .filter((each) => each !== method)
          .map((each) => (
            <Button key={each} onClick={() => setMethod(each)}>
              {OTHERS[each]}
            </Button>
          ))}
        <Button look="quiet" onClick={onRestart}>
          Start again
        </Button>
      </div>
    </>
  );
}

function ByCode({
  method,
  ticket,
  onDone,
}: {
  method: "totp" | "recovery_code";
  ticket: string;
  onDone: (step: StepResult) => void;
}): ReactNode {
  const isTotp = method === "totp";
  const row = isTotp ? PORTAL_ROUTES.signInWithTotp : PORTAL_ROUTES.signInWithRecoveryCode;
  const field = useRef<HTMLFormElement>(null);
  const [code, setCode] = useState("");
  const attempt = useMutation({
    mutationFn: (given: string) => sessionClient.call(row, { body: { ticket, code: given }, purpose: "sign in" }),
    onSuccess: onDone,
    onError: () => {
      setCode("");
      field.current?.querySelector("input")?.focus();
    },
  });
  const waitS = useWaitS(attempt.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    attempt.mutate(isTotp ? code.replaceAll(/\D/g, "") : code.trim());
  };
  const change = (text: string): void => {
    setCode(text);
    const digits = text.replaceAll(/\s/g, "");
    if (isTotp && waitS === 0 && !attempt.isPending && /^\d{6}$/.test(digits)) attempt.mutate(digits);
  };
  return (
    <form ref={field} onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={isTotp ? "Code of your authenticator app" : "Recovery code"}
        hint={isTotp ? "Six digits. The sign-in continues after the last one." : "Each works once."}
        className="mono"
        autoFocus
        required
        maxLength={isTotp ? 8 : 32}
        {...(isTotp ? { inputMode: "numeric", autoComplete: "one-time-code" } : { autoCapitalize: "none" })}
        value={code}
        onChange={(event) => change(event.target.value)}
      />
      <Failure error={attempt.error} waitS={waitS} />
      <Button look="main" type="submit" busy={attempt.isPending} disabled={waitS > 0}>
        Sign in
      </Button>
    </form>
  );
}

function ByPasskey({ onDone }: { onDone: (step: StepResult) => void }): ReactNode {
  const attempt = usePasskeySignIn(onDone);
  const waitS = useWaitS(attempt.error);
  return (
    <div className="flex flex-col gap-3">
      <Failure error={attempt.error} waitS={waitS} />
      <Button look="main" autoFocus busy={attempt.isPending} disabled={waitS > 0} onClick={() => attempt.mutate(null)}>
        Use a passkey
      </Button>
    </div>
  );
}

/** Signs in with a passkey: the given one (from autofill), or after asking the browser for one. */
export function usePasskeySignIn(onDone: (step: StepResult) => void) {
  return useMutation({
    mutationFn: async (shown: Awaited<ReturnType<typeof showPasskey>> | null) => {
      const begin = () => sessionClient.call(PORTAL_ROUTES.beginPasskeySignIn, { body: {}, purpose: "use a passkey" });
      const body = shown ?? (await showPasskey(begin));
      return sessionClient.call(PORTAL_ROUTES.signInWithPasskey, { body, purpose: "sign in" });
    },
    onSuccess: onDone,
  });
}

/** Whether a ticket has expired, by the clock of this page. */
function useIsOver(ticket: string): boolean {
  const [over, setOver] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setOver(ticket), TICKET_MS);
    return () => clearTimeout(timer);
  }, [ticket]);
  return over === ticket;
}
