import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import type { SignedIn } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";

/** Accepts as the signed-in person. */
export function AcceptSignedIn({
  token,
  user,
  onDone,
  onOther,
}: {
  token: string;
  user: SignedIn["user"];
  onDone: (accepted: ResultOf<typeof PORTAL_ROUTES.acceptInvitationSignedIn>) => void;
  /** Called to accept with another account. */
  onOther: () => void;
}): ReactNode {
  const accept = useMutation({
    mutationFn: () =>
      sessionClient.call(PORTAL_ROUTES.acceptInvitationSignedIn, { body: { token }, purpose: "accept the invitation" }),
    onSuccess: onDone,
  });
  return (
    <div className="flex flex-col gap-3">
      <p>
        You are signed in as <code className="break-all">{user.email}</code>.
      </p>
      <ErrorNote error={accept.error} />
      <Button look="main" busy={accept.isPending} onClick={() => accept.mutate()}>
        Accept as {user.name}
      </Button>
      <Button onClick={onOther}>Accept with another account</Button>
    </div>
  );
}
