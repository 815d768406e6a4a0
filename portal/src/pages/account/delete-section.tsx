import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { Section } from "~/kit/page.tsx";

/** Deletes the person's own account. */
export function DeleteSection(): ReactNode {
  const { user } = useSession();
  const [isAsked, setAsked] = useState(false);
  // A new document, so that no data of this person stays in memory.
  const erase = useAct(PORTAL_ROUTES.deleteAccount, { onDone: () => location.assign("/portal/sign-in") });
  return (
    <Section
      title="Delete the account"
      actions={
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      }
    >
      <p className="max-w-[72ch] text-ink-2">
        Your account ends in every organization of this server. The audit log keeps an id without your address and name.
      </p>
      {isAsked && (
        <DangerDialog
          title="Delete the account"
          about="Your sessions, passkeys and personal access tokens end at once, and you leave every organization. Credentials that you are responsible for get another responsible person, or are revoked: the policy of each organization decides. This can't be undone."
          type={user.email}
          action="Delete"
          busy={erase.isPending}
          error={erase.error}
          onConfirm={() => erase.mutate({ purpose: "delete your account" })}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}
