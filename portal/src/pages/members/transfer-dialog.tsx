import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useRefresh } from "~/api/queries.ts";
import { useMe } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { usePeople, type Person } from "~/access/people.ts";
import { ChangeError, useVersionedChange } from "~/kit/versioned.tsx";

/** Makes a member an owner. In a transfer, the current owner becomes an admin. */
export function TransferDialog({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const say = useSay();
  const me = useMe();
  const [isTransfer, setTransfer] = useState(false);
  const changes = [ORGANIZATION_ROUTES.listMembers, ORGANIZATION_ROUTES.getMe];
  const refresh = useRefresh(changes);
  const give = useVersionedChange(ORGANIZATION_ROUTES.updateMember, { changes });
  const stepDown = useVersionedChange(ORGANIZATION_ROUTES.updateMember, { changes });
  const own = usePeople()?.get(me?.id ?? "");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await give.mutateAsync({ params: { user_id: person.user_id }, body: { role: "owner" }, etag: person.etag });
      if (isTransfer && own !== undefined)
        await stepDown.mutateAsync({ params: { user_id: own.user_id }, body: { role: "admin" }, etag: own.etag });
    } catch {
      return; // the dialog shows it
    }
    say(isTransfer ? `${person.name} is an owner now, and you are an admin` : `${person.name} is an owner now`);
    onClose();
  };
  return (
    <Dialog
      title={`Make ${person.name} an owner`}
      about="Owners have all permissions. They can also remove owners, including you."
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Checkbox
          label="Transfer the ownership: become an admin myself"
          why="You cannot undo this yourself. An owner can make you an owner again."
          checked={isTransfer}
          onChange={(event) => setTransfer(event.target.checked)}
        />
        <ChangeError
          error={give.error ?? stepDown.error}
          onReload={() => {
            refresh();
            onClose();
          }}
        />
        <FormActions
          action={isTransfer ? "Transfer" : "Make owner"}
          look="danger"
          busy={give.isPending || stepDown.isPending}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
