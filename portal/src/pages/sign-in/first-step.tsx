import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { PasswordField } from "~/kit/password-field.tsx";
import { usePasskeyAutofill } from "./autofill.ts";
import { Failure, placeText, restOf, useWaitS } from "~/people/failure.tsx";
import { usePasskeySignIn, type StepResult } from "~/people/second-step.tsx";

export type Methods = ResultOf<typeof PORTAL_ROUTES.getSignInMethods>;

/** Asks for e-mail address and password, a passkey, or single sign-on. */
export function FirstStep({
  methods,
  email: given,
  returnTo,
  onStep,
}: {
  /** Undefined while they are loading; the password form is shown at once. */
  methods: Methods | undefined;
  email: string;
  returnTo: string;
  onStep: (step: StepResult) => void;
}): ReactNode {
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState("");
  const byPassword = usePasswordSignIn(onStep);
  const byPasskey = usePasskeySignIn(onStep);
  const hasPasskeys = methods?.passkeys === true && browserSupportsWebAuthn();
  usePasskeyAutofill(hasPasskeys && !byPasskey.isPending, (answer) => byPasskey.mutate(answer));
  const error = byPassword.error ?? byPasskey.error;
  const waitS = useWaitS(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    byPasskey.reset();
    byPassword.mutate({ email: email.trim(), password });
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete={hasPasskeys ? "username webauthn" : "username"}
          autoCapitalize="none"
          autoFocus
          required
          error={placeText(error, "/email") === null ? null : "This is not an e-mail address."}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Failure error={restOf(error, ["/email"])} waitS={waitS} />
        <Button look="main" type="submit" busy={byPassword.isPending} disabled={waitS > 0}>
          Sign in
        </Button>
      </form>
      <OtherWays
        hasPasskeys={hasPasskeys}
        oidcName={methods?.oidc?.name ?? null}
        returnTo={returnTo}
        busy={byPasskey.isPending}
        disabled={waitS > 0}
        onPasskey={() => {
          byPassword.reset();
          byPasskey.mutate(null);
        }}
      />
    </>
  );
}

function usePasswordSignIn(onStep: (step: StepResult) => void) {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      sessionClient.call(PORTAL_ROUTES.signInWithPassword, { body, purpose: "sign in" }),
    onSuccess: onStep,
  });
}

interface OtherWaysProps {
  hasPasskeys: boolean;
  /** The name of the single sign-on; null: there is none. */
  oidcName: string | null;
  returnTo: string;
  busy: boolean;
  disabled: boolean;
  onPasskey: () => void;
}

function OtherWays({ hasPasskeys, oidcName, returnTo, busy, disabled, onPasskey }: OtherWaysProps): ReactNode {
  if (!hasPasskeys && oidcName === null) return null;
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-4">
      {hasPasskeys && (
        <Button busy={busy} disabled={disabled} onClick={onPasskey}>
          Use a passkey
        </Button>
      )}
      {oidcName !== null && (
        <a href={`/api/sign-in/oidc?return_to=${encodeURIComponent(returnTo)}`} className={buttonClass()}>
          Sign in with {oidcName}
        </a>
      )}
    </div>
  );
}
