import { ApiError } from "@mooring/client";
import { PORTAL_ROUTES, type BodyOf } from "@mooring/contract";
import { useMutation, useQuery, type UseMutationResult } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { TextField } from "~/kit/field.tsx";
import { Failure, placeText, restOf, useWaitS } from "~/people/failure.tsx";
import { NewPassword } from "~/people/new-password.tsx";
import type { SetUpResult } from "./credential-step.tsx";

/** The command that prints a new link for an existing organization whose owner has no password. */
const NEW_LINK = "npx mooring bootstrap --org ORG --project PROJECT --app APP --data-dir DIR";

/** Asks for the owner's name, sign-in address and password. */
export function AccountStep({
  token,
  onDone,
  onUsed,
}: {
  token: string;
  onDone: (result: SetUpResult) => void;
  /** Called if the link is not valid any more. */
  onUsed: () => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [email, setEmail] = useState<string | null>(null);
  const owner = useOwner(token, onUsed);
  const address = email ?? owner?.email ?? "";
  const [password, setPassword] = useState("");
  const setUp = useSetUp(onDone, onUsed);
  const waitS = useWaitS(setUp.error);
  const { error } = setUp;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const changed = isOther(address, owner?.email) ? { email: address.trim() } : {};
    setUp.mutate({ token, name: name.trim(), password, ...changed });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        autoFocus
        required
        maxLength={100}
        error={placeText(error, "/name") === null ? null : "Enter your name, up to 100 characters."}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="E-mail address to sign in with"
        name="email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        maxLength={254}
        hint="You sign in with this address. If it is not yours, enter your own. You can change it later, under Account."
        error={placeText(error, "/email") === null ? null : "This is not an e-mail address."}
        value={address}
        onChange={(event) => setEmail(event.target.value)}
      />
      <NewPassword
        value={password}
        onChange={setPassword}
        error={placeText(error, "/password")}
        known={[name, address]}
      />
      <Failure error={restOf(error, ["/name", "/email", "/password"])} waitS={waitS} />
      <Button look="main" type="submit" busy={setUp.isPending} disabled={waitS > 0}>
        Set up and sign in
      </Button>
    </form>
  );
}

/** Reads the account that the link sets up. */
function useOwner(token: string, onUsed: () => void): { readonly email: string } | undefined {
  const link = useQuery({
    queryKey: ["set-up", token],
    queryFn: ({ signal }) => sessionClient.call(PORTAL_ROUTES.openSetUp, { body: { token }, signal }),
    retry: false,
    staleTime: Infinity,
  });
  const isUsed = isAbsent(link.error);
  useEffect(() => {
    if (isUsed) onUsed();
  }, [isUsed, onUsed]);
  return link.data;
}

function useSetUp(
  onDone: (result: SetUpResult) => void,
  onUsed: () => void,
): UseMutationResult<SetUpResult, Error, BodyOf<typeof PORTAL_ROUTES.setUp>> {
  return useMutation({
    mutationFn: (body: BodyOf<typeof PORTAL_ROUTES.setUp>) =>
      sessionClient.call(PORTAL_ROUTES.setUp, { body, purpose: "set up the account" }),
    onSuccess: onDone,
    onError: (error) => {
      if (isAbsent(error)) onUsed();
    },
  });
}

function isAbsent(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "not_found";
}

function isOther(address: string, named: string | undefined): boolean {
  return address.trim() !== "" && address.trim().toLowerCase() !== named;
}

/** Shown for used, expired and invalid links. The server gives the same answer for all of them. */
export function UsedLink(): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert">It was used, it is older than a day, or the server was set up after it was created.</p>
      <p className="text-ink-2">If you have set up your account already, sign in with its password.</p>
      <ButtonLink look="main" to="/sign-in">
        Sign in
      </ButtonLink>
      <p className="text-ink-2">
        If not, ask the operator of the server for a new link. They create it, for the owner of one organization, on the
        server with
      </p>
      <CopyBlock text={NEW_LINK} className="w-full" />
    </div>
  );
}
