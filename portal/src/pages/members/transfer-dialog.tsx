import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Person } from "~/access/people.ts";

/** Makes somebody an owner, and where that is a transfer, steps down to admin after it. */
export function TransferDialog({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const say = useSay();
  const me = useMe();
  const [isTransfer, setTransfer] = useState(false);
  const changes = [ORGANIZATION_ROUTES.listMembers, ORGANIZATION_ROUTES.getMe];
  const give = useAct(ORGANIZATION_ROUTES.updateMember, { changes });
  const stepDown = useAct(ORGANIZATION_ROUTES.updateMember, { changes });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await give.mutateAsync({ params: { user_id: person.user_id }, body: { role: "owner" } });
      if (isTransfer && me !== undefined)
        await stepDown.mutateAsync({ params: { user_id: me.id }, body: { role: "admin" } });
    } catch {
      return; // the dialog shows it
    }
    say(isTransfer ? `${person.name} is an owner now, and you are an admin` : `${person.name} is an owner now`);
    onClose();
  };
  return (
    <Dialog
      title={`Make ${person.name} an owner`}
      about="Owners can do everything, and make, change and remove owners, you included."
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Checkbox
          label="Hand the ownership over: become an admin myself"
          why="You can't take this back; an owner can."
          checked={isTransfer}
          onChange={(event) => setTransfer(event.target.checked)}
        />
        <ErrorNote error={give.error ?? stepDown.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" busy={give.isPending || stepDown.isPending}>
            {isTransfer ? "Hand over" : "Make owner"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
