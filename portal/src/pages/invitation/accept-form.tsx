import { ApiError } from "@mooring/client";
import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { PasswordField } from "~/kit/password-field.tsx";
import { Failure, placeText, restOf, useWaitS } from "~/people/failure.tsx";
import { NewPassword } from "~/people/new-password.tsx";
import { OtherWays } from "./other-ways.tsx";

export type Accepted = ResultOf<typeof ORGANIZATION_ROUTES.acceptInvitation>;
type Kind = "new" | "known";

const KINDS = [
  ["new", "I am new here"],
  ["known", "I have an account on this server"],
] as const;

/**
 * Accepts with a new account or with an existing one. The link does not say which of the two applies, so the person
 * chooses. The server answers with an error if the choice was wrong.
 */
export function AcceptForm({
  token,
  onDone,
}: {
  token: string;
  onDone: (accepted: Accepted, password: string) => void;
}): ReactNode {
  const [kind, setKind] = useState<Kind>("new");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const accept = useMutation({
    mutationFn: () =>
      sessionClient.call(ORGANIZATION_ROUTES.acceptInvitation, {
        body: { token, password, ...(kind === "new" ? { name: name.trim() } : {}) },
        purpose: "accept the invitation",
      }),
    onSuccess: (accepted) => onDone(accepted, password),
    onError: (error) => {
      if (error instanceof ApiError && error.code === "forbidden") setKind("known");
      if (kind === "known" && placeText(error, "/name") !== null) setKind("new");
    },
  });
  const { error } = accept;
  const waitS = useWaitS(error);
  if (error instanceof ApiError && (error.code === "not_found" || isMember(error))) return <NotOpen error={error} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    accept.mutate();
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <KindChoice value={kind} onChange={setKind} />
        {kind === "new" && (
          <TextField
            label="Your name"
            name="name"
            autoComplete="name"
            required
            maxLength={100}
            error={placeText(error, "/name") === null ? null : "Enter your name, up to 100 characters."}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {kind === "new" ? (
          <NewPassword value={password} onChange={setPassword} error={placeText(error, "/password")} known={[name]} />
        ) : (
          <PasswordField
            label="Password of your account"
            name="password"
            autoComplete="current-password"
            hint="Your password is required, because the sender of the invitation knows the link too."
            required
            error={placeText(error, "/password") === null ? null : "A password has at least 12 characters."}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
        <Failure error={restOf(error, kind === "new" ? ["/name", "/password"] : ["/password"])} waitS={waitS} />
        <Button look="main" type="submit" busy={accept.isPending} disabled={waitS > 0}>
          Accept and sign in
        </Button>
      </form>
      <OtherWays token={token} name={kind === "new" ? name : null} />
    </>
  );
}

function KindChoice({ value, onChange }: { value: Kind; onChange: (kind: Kind) => void }): ReactNode {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">Who are you?</legend>
      {KINDS.map(([kind, text]) => (
        <label key={kind} className="flex min-h-6 items-center gap-2">
          <input
            type="radio"
            name="kind"
            className="size-4 accent-sea"
            checked={value === kind}
            onChange={() => onChange(kind)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function isMember(error: ApiError): boolean {
  return error.code === "conflict" && /member/.test(error.message);
}

/** Shows why the link does not work, and what to do. */
function NotOpen({ error }: { error: ApiError }): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert">
        {error.code === "conflict"
          ? "You are a member of this organization already."
          : "This invitation does not work. It was used or revoked, it is older than seven days, or a part of the link is missing."}
      </p>
      <p className="text-ink-2">
        If you have accepted it, sign in with your password. If not, ask the person who invited you for a new link.
      </p>
      <ButtonLink look="main" to="/sign-in">
        Sign in
      </ButtonLink>
    </div>
  );
}
