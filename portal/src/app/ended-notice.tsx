import { PORTAL_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { EndedList } from "~/people/ended.tsx";
import { useRenewSession } from "~/people/renew-session.ts";

/** Shows what the first verification of the person's address removed, until they confirm that they read it. */
export function EndedNotice(): ReactNode {
  const { notice, user, security } = useSession();
  const renew = useRenewSession();
  const dismiss = useAct(PORTAL_ROUTES.dismissNotice, { onDone: renew });
  if (notice === null) return null;
  return (
    <section
      aria-label="Your address is verified"
      className="mb-4 flex flex-col items-start gap-2 rounded border border-warn bg-warn-2 px-3 py-2"
    >
      <h2>Your address is verified, and the earlier sign-in methods are removed</h2>
      <p>
        Until now nobody had verified that {user.email} is yours, so somebody else could have created this account.
        These were removed:
      </p>
      <EndedList ended={notice} />
      <ErrorNote error={dismiss.error} />
      <div className="flex flex-wrap gap-2">
        {!security.has_password && (
          <ButtonLink to="/account" search={{ tab: "sign-in" }}>
            Set a password
          </ButtonLink>
        )}
        <Button busy={dismiss.isPending} onClick={() => dismiss.mutate({})}>
          I have read it
        </Button>
      </div>
    </section>
  );
}
