import { PORTAL_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { TextField } from "~/kit/field.tsx";
import { Loading } from "~/kit/page.tsx";
import { Failure, placeText, restOf, useWaitS } from "~/people/failure.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";

const COMMAND = "npx mooring account reset EMAIL --data-dir DIR";

/** Asks for the e-mail address. The answer is the same for known and unknown addresses. */
export function RequestForm(): ReactNode {
  const { methods } = useSignInMethods();
  if (methods === undefined) return <Loading />;
  return methods.sends_email ? <ByMail /> : <ByOperator />;
}

function ByMail(): ReactNode {
  const [email, setEmail] = useState("");
  const request = useMutation({
    mutationFn: () =>
      sessionClient.call(PORTAL_ROUTES.requestReset, { body: { email: email.trim() }, purpose: "send the link" }),
  });
  const waitS = useWaitS(request.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    request.mutate();
  };
  if (request.isSuccess)
    return (
      <div role="status" className="flex flex-col items-start gap-3">
        <p>If there is an account with {email.trim()}, a link was sent to it. It works once, within an hour.</p>
        <p className="text-ink-2">
          If you get no e-mail, look in the spam folder, or ask the operator of the server for a link.
        </p>
        <ButtonLink to="/sign-in">Back to the sign-in</ButtonLink>
      </div>
    );
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="E-mail address of your account"
        name="email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus
        required
        error={placeText(request.error, "/email") === null ? null : "This is not an e-mail address."}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Failure error={restOf(request.error, ["/email"])} waitS={waitS} />
      <Button look="main" type="submit" busy={request.isPending} disabled={waitS > 0}>
        Send a link
      </Button>
    </form>
  );
}

/** Shown without a mail server: only the operator can create a link. */
function ByOperator(): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        This server sends no e-mail. Ask its operator for a link. They create one under Instance, Accounts, or on the
        server with
      </p>
      <CopyBlock text={COMMAND} className="w-full" />
      <ButtonLink to="/sign-in">Back to the sign-in</ButtonLink>
    </div>
  );
}
