import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { useSignInMethods } from "~/people/sign-in-methods.ts";

/** The reasons why linking failed. The server adds one to the address of this page. */
const FAILURES: Record<string, string> = {
  oidc_taken:
    "This identity is linked to another account of this server. Unlink it there first, or ask the operator of the server.",
  oidc_not_fresh: "It took too long, or somebody else was signed in. Confirm who you are and link it again.",
};

/** The person's identity at the single sign-on. There is at most one; linking another one replaces it. */
export function IdentitySection(): ReactNode {
  const { security } = useSession();
  const { methods } = useSignInMethods();
  const [search] = useSearchState<{ error: string }>();
  const [isUnlinking, setUnlinking] = useState(false);
  const renew = useRenewSession();
  const link = useAct(PORTAL_ROUTES.beginIdentityLink, { onDone: ({ url }) => location.assign(url) });
  const unlink = useAct(PORTAL_ROUTES.deleteIdentity, {
    onDone: () => {
      setUnlinking(false);
      renew();
    },
  });
  const name = methods?.oidc?.name;
  if (name === undefined) return null;
  const failure = FAILURES[search.error ?? ""];
  const isLinked = security.has_identity;
  return (
    <Section
      title="Single sign-on"
      actions={
        <>
          {isLinked && <Button onClick={() => setUnlinking(true)}>Unlink</Button>}
          <Button
            busy={link.isPending || link.isSuccess}
            onClick={() => link.mutate({ body: {}, purpose: "link your identity" })}
          >
            {isLinked ? "Link another identity" : "Link an identity"}
          </Button>
        </>
      }
    >
      <State kind={isLinked ? "go" : "none"}>{isLinked ? `linked to ${name}` : "not linked"}</State>
      {failure !== undefined && (
        <p role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2">
          {failure}
        </p>
      )}
      <ErrorNote error={link.error} />
      <p className="max-w-[72ch] text-ink-2">
        An account has one identity at {name}. Linking another one replaces it. So if somebody else gets your old
        mailbox, they cannot sign in with it.
      </p>
      {isUnlinking && (
        <DangerDialog
          title="Unlink the identity"
          about={<p>Then you sign in with a password or passkey until you link an identity again.</p>}
          action="Unlink"
          busy={unlink.isPending}
          error={unlink.error}
          onClose={() => setUnlinking(false)}
          onConfirm={() => unlink.mutate({ purpose: "unlink your identity" })}
        />
      )}
    </Section>
  );
}
