import { PORTAL_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";

/** Accepts without a password: with single sign-on or a passkey. */
export function OtherWays({ token, name }: { token: string; name: string | null }): ReactNode {
  const { methods, hasPasskeys } = useSignInMethods();
  const toProvider = useMutation({
    mutationFn: () => {
      const body = { token, ...(name === null || name.trim() === "" ? {} : { name: name.trim() }) };
      return sessionClient.call(PORTAL_ROUTES.beginInvitationWithOidc, { body, purpose: "go to the other service" });
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  const oidc = methods?.oidc ?? null;
  const isNameless = name?.trim() === "";
  const byPasskey = name === null && hasPasskeys;
  if (oidc === null && !byPasskey) return null;
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3">
      <p className="text-ink-2">Or without a password:</p>
      <ErrorNote error={toProvider.error} />
      {oidc !== null && (
        <Button
          busy={toProvider.isPending || toProvider.isSuccess}
          disabled={isNameless}
          title={isNameless ? "Enter your name first." : undefined}
          onClick={() => toProvider.mutate()}
        >
          Accept with {oidc.name}
        </Button>
      )}
      {oidc !== null && isNameless && <p className="text-s text-ink-2">Enter your name first.</p>}
      {byPasskey && (
        <ButtonLink to="/sign-in" search={{ return_to: "/invitation" }}>
          Sign in with a passkey, then accept
        </ButtonLink>
      )}
    </div>
  );
}
