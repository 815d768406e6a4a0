import type { ReactNode } from "react";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";
import { useAdoption, type AccessItem, type AccessKind } from "./kind.ts";

/** Makes the person responsible for an item. */
export function AdoptDialog<T extends AccessItem>({
  kind,
  item,
  onClose,
}: {
  kind: AccessKind<T>;
  item: T;
  onClose: () => void;
}): ReactNode {
  const say = useSay();
  const { adopt, isPending, error } = useAdoption(kind, item.id, () => {
    say(`You are responsible for ${visibleText(item.name)} now`);
    onClose();
  });
  return (
    <Dialog title={`Adopt ${visibleText(item.name)}`} onClose={onClose}>
      <p>
        Your permissions limit this {kind.noun} from now on. It keeps those of its permissions that you have, and gains
        none. Issued tokens become void, so programs get new ones.
      </p>
      <p>
        Others may know the secret.{" "}
        <strong className="font-medium">Do not adopt it if it may be an attacker&apos;s.</strong>
      </p>
      <ErrorNote error={error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" busy={isPending} onClick={adopt}>
          Adopt
        </Button>
      </DialogActions>
    </Dialog>
  );
}
