import { ORGANIZATION_ROUTES, type Orphans } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { OrphansField, PlanNote, usePlan } from "~/access/plan.tsx";
import { useMe } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { useSay } from "~/kit/toast.tsx";
import { useVersionedChange } from "~/kit/versioned.tsx";
import type { Person } from "~/access/people.ts";

interface RemoveProps {
  person: Person;
  isMe: boolean;
  onRemoved: () => void;
  onClose: () => void;
}

/** Removes a member, and decides about their credentials. It shows the effects before. */
export function RemoveDialog({ person, isMe, onRemoved, onClose }: RemoveProps): ReactNode {
  const say = useSay();
  const me = useMe();
  const [orphans, setOrphans] = useState<Orphans>("adopt");
  const params = { user_id: person.user_id };
  const plan = usePlan(ORGANIZATION_ROUTES.deleteMember, { params, query: { orphans } });
  const remove = useVersionedChange(ORGANIZATION_ROUTES.deleteMember, {
    changes: [
      ORGANIZATION_ROUTES.listMembers,
      ORGANIZATION_ROUTES.listCredentials,
      ORGANIZATION_ROUTES.listS3Keys,
      ORGANIZATION_ROUTES.listProjectMembers,
    ],
    onDone: () => {
      say(`${person.name} is removed`);
      onClose();
      onRemoved();
    },
  });
  return (
    <DangerDialog
      title={isMe ? "Leave the organization" : `Remove ${person.name}`}
      about={
        <div className="flex flex-col gap-3">
          <p>
            {isMe ? "You lose" : `${person.name} loses`} all permissions here at once, and personal access tokens are
            revoked.
          </p>
          {!isMe && me?.kind === "person" && (
            <OrphansField value={orphans} onChange={(value) => setOrphans(value ?? "adopt")} />
          )}
          <PlanNote plan={plan} />
        </div>
      }
      type={person.email}
      action={isMe ? "Leave" : "Remove"}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params, query: { orphans }, body: undefined, etag: plan.data?.etag ?? null })}
      onClose={onClose}
    />
  );
}
