import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import type { Person } from "~/access/people.ts";
import { useAct } from "~/api/queries.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { useSay } from "~/kit/toast.tsx";

/** Ends every sign-in of a member in this organization. */
export function EndAccessDialog({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const say = useSay();
  const end = useAct(ORGANIZATION_ROUTES.endMemberAccess, {
    changes: [ORGANIZATION_ROUTES.listMembers, ORGANIZATION_ROUTES.listCredentials],
    onDone: ({ logins, personal_tokens: tokens }) => {
      say(
        `${person.name} must sign in again. Ended: ${plural(logins, "login")}, ${plural(tokens, "personal access token")}`,
      );
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`End the access of ${person.name}`}
      about={
        <div className="flex flex-col gap-2">
          <p>
            For a leak: their sessions are refused in this organization until they sign in again. Their logins of the
            command line and their personal access tokens here end for good.
          </p>
          <p>
            They stay a member. Credentials and S3 keys continue to work: revoke or rotate those that they may have
            leaked.
          </p>
        </div>
      }
      action="End access"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ params: { user_id: person.user_id } })}
      onClose={onClose}
    />
  );
}
