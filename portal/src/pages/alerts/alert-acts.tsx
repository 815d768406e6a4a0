import { ALERT_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { Menu, MenuItem, MenuLine } from "~/kit/menu.tsx";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import type { Alert } from "./alert-draft.ts";
import { EditAlertDialog } from "./alert-dialog.tsx";
import type { ShownSecret } from "./alert-secret.tsx";

type Open = "edit" | "rotate" | "delete" | null;

/** Actions on an alert other than test and pause. */
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
  const mayWrite = useMayIn(alert.project_id, "webhooks:write");
  const close = (): void => setOpen(null);
  if (!mayWrite) return null;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen("edit")}>Change</Button>
        <Menu trigger={<Button aria-label="More acts">More ▾</Button>}>
          <MenuItem onSelect={() => setOpen("rotate")}>Rotate secret…</MenuItem>
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

function RotateDialog({
  alert,
  onSecret,
  onClose,
}: {
  alert: Alert;
  onSecret: (secret: ShownSecret) => void;
  onClose: () => void;
}): ReactNode {
  const rotate = useAct(ALERT_ROUTES.rotateAlertSecret, {
    onDone: ({ secret, former_secret_until }) => {
      onClose();
      onSecret({ secret, formerUntil: former_secret_until });
    },
  });
  return (
    <ReplaceDialog
      title="Rotate secret"
      projectId={alert.project_id}
      about="New messages are signed with the new secret. Give it to the receiver."
      label="The old secret also signs for another"
      action="Rotate"
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params: { alert_id: alert.id }, body: { overlap_s: seconds } })}
      onClose={onClose}
    />
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
      projectId={alert.project_id}
      about={
        <p>
          This deletes <code>{visibleText(alert.name)}</code>, its evaluations and its deliveries. Waiting messages are
          not sent. The saved query stays.
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
