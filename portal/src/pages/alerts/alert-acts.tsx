import { ALERT_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMay } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { Menu, MenuItem, MenuLine } from "~/kit/menu.tsx";
import type { Alert } from "./alert-draft.ts";
import { EditAlertDialog } from "./alert-dialog.tsx";
import type { ShownSecret } from "./secret-dialog.tsx";

type Open = "edit" | "rotate" | "delete" | null;

/** What one may do to an alert besides trying and pausing it. */
export function AlertActs({
  alert,
  onSecret,
  onDeleted,
}: {
  alert: Alert;
  onSecret: (secret: ShownSecret) => void;
  onDeleted: () => void;
}): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const mayWrite = useMay("webhooks:write");
  const close = (): void => setOpen(null);
  if (!mayWrite) return null;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen("edit")}>Change</Button>
        <Menu trigger={<Button aria-label="More acts">More ▾</Button>}>
          <MenuItem onSelect={() => setOpen("rotate")}>Rotate the secret…</MenuItem>
          <MenuLine />
          <MenuItem danger onSelect={() => setOpen("delete")}>
            Delete…
          </MenuItem>
        </Menu>
      </div>
      {open === "edit" && <EditAlertDialog alertId={alert.id} onClose={close} />}
      {open === "rotate" && <RotateDialog alert={alert} onSecret={onSecret} onClose={close} />}
      {open === "delete" && <DeleteDialog alert={alert} onDeleted={onDeleted} onClose={close} />}
    </>
  );
}

const OVERLAPS: readonly (readonly [seconds: number, title: string])[] = [
  [0, "not at all"],
  [3600, "for an hour"],
  [86_400, "for a day"],
  [604_800, "for a week"],
];

function RotateDialog({
  alert,
  onSecret,
  onClose,
}: {
  alert: Alert;
  onSecret: (secret: ShownSecret) => void;
  onClose: () => void;
}): ReactNode {
  const [overlapS, setOverlapS] = useState(86_400);
  const rotate = useAct(ALERT_ROUTES.rotateAlertSecret, {
    onDone: ({ secret, former_secret_until }) => {
      onClose();
      if (secret !== null) onSecret({ secret, formerUntil: former_secret_until });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rotate.mutate({ params: { alert_id: alert.id }, body: { overlap_s: overlapS } });
  };
  return (
    <Dialog
      title="Rotate the secret"
      about="A new secret signs from now on. The receiver has to know it."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <SelectField
          label="The present secret signs as well"
          value={overlapS}
          onChange={(event) => setOverlapS(Number(event.target.value))}
        >
          {OVERLAPS.map(([seconds, title]) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </SelectField>
        <ErrorNote error={rotate.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={rotate.isPending}>
            Rotate
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function DeleteDialog({
  alert,
  onDeleted,
  onClose,
}: {
  alert: Alert;
  onDeleted: () => void;
  onClose: () => void;
}): ReactNode {
  const remove = useAct(ALERT_ROUTES.deleteAlert, { changes: [ALERT_ROUTES.listAlerts], onDone: onDeleted });
  return (
    <DangerDialog
      title={`Delete ${visibleText(alert.name)}?`}
      about={
        <p>
          Nobody is told any more when <code>{visibleText(alert.name)}</code> holds. Messages that wait are not sent,
          and its evaluations and deliveries go. The saved query stays.
        </p>
      }
      type={isTypable(alert.name) ? alert.name : undefined}
      action="Delete the alert"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { alert_id: alert.id } })}
      onClose={onClose}
    />
  );
}
