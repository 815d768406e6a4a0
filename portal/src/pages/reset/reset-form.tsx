import { ApiError } from "@mooring/client";
import { PORTAL_ROUTES } from "@mooring/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading } from "~/kit/page.tsx";
import { Failure, placeText, restOf, useWaitS } from "~/people/failure.tsx";
import { NewPassword } from "~/people/new-password.tsx";
import type { StepResult } from "~/people/second-step.tsx";

/** Shows the account of the link and what its use changes, and asks for the new password. */
export function ResetForm({ token, onStep }: { token: string; onStep: (step: StepResult) => void }): ReactNode {
  const [password, setPassword] = useState("");
  const link = useQuery({
    queryKey: ["reset", token],
    queryFn: ({ signal }) => sessionClient.call(PORTAL_ROUTES.openReset, { body: { token }, signal }),
    retry: false,
    staleTime: Infinity,
  });
  const reset = useMutation({
    mutationFn: () =>
      sessionClient.call(PORTAL_ROUTES.resetPassword, { body: { token, password }, purpose: "set the password" }),
    onSuccess: onStep,
  });
  const waitS = useWaitS(reset.error);
  if (isAbsent(link.error) || isAbsent(reset.error)) return <UsedLink />;
  if (link.data === undefined) return link.error === null ? <Loading /> : <ErrorNote error={link.error} />;
  const { email, first_proof: isFirst, second_factor: factor } = link.data;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    reset.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p>
        For <b className="break-all">{email}</b>.
      </p>
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <NewPassword
        label="New password"
        value={password}
        onChange={setPassword}
        error={placeText(reset.error, "/password")}
        known={[email]}
      />
      <div className="text-ink-2">
        {isFirst ? (
          <p>
            This verifies that the address is yours. All earlier sign-in methods are removed: password, sessions,
            passkeys, authenticator app and personal access tokens.
          </p>
        ) : (
          <p>All your sessions end. Passkeys and personal access tokens stay valid.</p>
        )}
        {!isFirst && factor === "ends" && <p>The authenticator app and its recovery codes are removed too.</p>}
        {factor === "required" && <p>Next, you need a code of your authenticator app.</p>}
      </div>
      <Failure error={restOf(reset.error, ["/password"])} waitS={waitS} />
      <Button look="main" type="submit" busy={reset.isPending} disabled={waitS > 0}>
        Set the password
      </Button>
    </form>
  );
}

function isAbsent(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "not_found";
}

/** Shown for used, expired and invalid links. The server gives the same answer for all of them. */
function UsedLink(): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert">This link is not valid any more. It was used, or it is older than an hour.</p>
      <ButtonLink look="main" to="/reset">
        Request a new link
      </ButtonLink>
      <ButtonLink to="/sign-in">Sign in</ButtonLink>
    </div>
  );
}
