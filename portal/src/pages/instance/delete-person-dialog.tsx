import { PORTAL_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Account } from "./types.ts";

/** Deletes a person, after their address was typed. */
export function DeletePersonDialog({ account, onClose }: { account: Account; onClose: () => void }): ReactNode {
  const say = useSay();
  const erase = useAct(PORTAL_ROUTES.deletePerson, {
    changes: [PORTAL_ROUTES.listAccounts],
    onDone: () => {
      say("The account was deleted.");
      onClose();
    },
  });
  return (
    <DangerDialog
      title="Delete a person"
      about={`The account of ${account.email} ends in every organization, with its sessions and tokens. The audit log keeps an id without address and name. This can't be undone.`}
      type={account.email}
      action="Delete"
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate({ params: { user_id: account.id }, purpose: "delete this person" })}
      onClose={onClose}
    />
  );
}
