import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { PasswordField } from "~/kit/password-field.tsx";
import { usePasskeyAutofill } from "./autofill.ts";
import { Failure, placeText, restOf, useWaitS } from "./failure.tsx";
import { usePasskeySignIn, type StepResult } from "./second-step.tsx";

export type Methods = ResultOf<typeof PORTAL_ROUTES.getSignInMethods>;

/** E-mail address and password, or a passkey, or the organization's own sign-in. */
export function FirstStep({
  methods,
  email: given,
  returnTo,
  onStep,
}: {
  /** Undefined while they are asked: the password's form is there at once. */
  methods: Methods | undefined;
  email: string;
  returnTo: string;
  onStep: (step: StepResult) => void;
}): ReactNode {
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState("");
  const byPassword = useMutation({
    mutationFn: () =>
      sessionClient.call(PORTAL_ROUTES.signInWithPassword, {
        body: { email: email.trim(), password },
        purpose: "sign in",
      }),
    onSuccess: onStep,
  });
  const byPasskey = usePasskeySignIn(onStep);
  const hasPasskeys = methods?.passkeys === true && browserSupportsWebAuthn();
  usePasskeyAutofill(hasPasskeys && !byPasskey.isPending, (answer) => byPasskey.mutate(answer));
  const error = byPassword.error ?? byPasskey.error;
  const waitS = useWaitS(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    byPasskey.reset();
    byPassword.mutate();
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
      {(hasPasskeys || (methods?.oidc ?? null) !== null) && (
        <div className="flex flex-col gap-2 border-t border-line pt-4">
          {hasPasskeys && (
            <Button
              busy={byPasskey.isPending}
              disabled={waitS > 0}
              onClick={() => {
                byPassword.reset();
                byPasskey.mutate(null);
              }}
            >
              Use a passkey
            </Button>
          )}
          {methods?.oidc && (
            <a href={`/api/sign-in/oidc?return_to=${encodeURIComponent(returnTo)}`} className={buttonClass()}>
              {methods.oidc.name}
            </a>
          )}
        </div>
      )}
    </>
  );
}
