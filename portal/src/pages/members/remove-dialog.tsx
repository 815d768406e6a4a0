import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { useMe, useOrganization } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { useSay } from "~/kit/toast.tsx";
import type { Person } from "~/access/people.ts";

interface RemoveProps {
  person: Person;
  isMe: boolean;
  onRemoved: () => void;
  onClose: () => void;
}

/** Removes a member. Their credentials stop working, unless the remover takes them over. */
export function RemoveDialog({ person, isMe, onRemoved, onClose }: RemoveProps): ReactNode {
  const say = useSay();
  const me = useMe();
  const [takesOver, setTakesOver] = useState(true);
  const canTakeOver = !isMe && me?.kind === "person";
  const remove = useAct(ORGANIZATION_ROUTES.deleteMember, {
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
        <div className="flex flex-col gap-2">
          <p>
            {isMe ? "You lose" : `${person.name} loses`} all permissions here at once, and personal access tokens are
            revoked. If a private project has no other maintainer, an owner becomes its maintainer.
          </p>
          <Made id={person.user_id} />
          {canTakeOver && (
            <Checkbox
              label="Take over the credentials and S3 keys that they created"
              why="They keep their permissions, in your name. The person still knows the secrets, so rotate them soon. Otherwise they lose all permissions at once."
              checked={takesOver}
              onChange={(event) => setTakesOver(event.target.checked)}
            />
          )}
        </div>
      }
      type={person.email}
      action={isMe ? "Leave" : "Remove"}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate({
          params: { user_id: person.user_id },
          query: canTakeOver ? { transfer_credentials: takesOver } : {},
        })
      }
      onClose={onClose}
    />
  );
}

const READ_MAX = 500;

/** Counts the active credentials and S3 keys that the person created. */
function Made({ id }: { id: string }): ReactNode {
  const organization = useOrganization();
  const enabled = useMayIn(null, "credentials:read");
  const { data } = useQuery({
    queryKey: [organization.slug, ORGANIZATION_ROUTES.listCredentials.operationId, "made-by", id],
    queryFn: async ({ signal }) => {
      const { client } = organization;
      const of = async (items: AsyncGenerator<{ created_by: string }>): Promise<number> => {
        let count = 0;
        let read = 0;
        for await (const { created_by } of items) {
          if (created_by === id) count++;
          if (++read >= READ_MAX) break;
        }
        return count;
      };
      return {
        credentials: await of(client.items(ORGANIZATION_ROUTES.listCredentials, { signal })),
        keys: await of(client.items(ORGANIZATION_ROUTES.listS3Keys, { signal })),
      };
    },
    enabled,
  });
  if (data === undefined) return null;
  if (data.credentials + data.keys === 0) return <p>They created no active credential or S3 key.</p>;
  return (
    <p>
      <strong className="font-medium">
        {plural(data.credentials, "credential")} and {plural(data.keys, "S3 key")}
      </strong>{" "}
      created by them are active.
    </p>
  );
}
