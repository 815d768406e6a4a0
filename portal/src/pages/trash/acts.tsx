import { ORGANIZATION_ROUTES, TRASH_RULES, type Scope } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";
import { KIND_WORDS, type TrashItem } from "./items.ts";
import { RestoreDialog } from "./restore-dialog.tsx";

/** The buttons of an object in the trash. */
export function Acts({ item }: { item: TrashItem }): ReactNode {
  const [dialog, setDialog] = useState<"restore" | "purge" | null>(null);
  const { restore, purge } = TRASH_RULES[item.kind];
  const whyNotRestore = useWhyNot(item, restore);
  const whyNotPurge = useWhyNot(item, purge);
  const name = visibleText(item.name);
  const close = (): void => setDialog(null);
  return (
    <span className="flex items-center gap-2">
      <Button disabled={whyNotRestore !== undefined} title={whyNotRestore} onClick={() => setDialog("restore")}>
        Restore…<span className="sr-only"> {name}</span>
      </Button>
      <Button look="danger" disabled={whyNotPurge !== undefined} title={whyNotPurge} onClick={() => setDialog("purge")}>
        Delete for good…<span className="sr-only"> {name}</span>
      </Button>
      {dialog === "restore" && <RestoreDialog item={item} onClose={close} />}
      {dialog === "purge" && <PurgeDialog item={item} onClose={close} />}
    </span>
  );
}

/** The person's projects do not include one in the trash, so the server alone decides about it. */
function useWhyNot(item: TrashItem, scope: Scope): string | undefined {
  const why = useWhyNotIn(item.project_id, scope);
  return item.kind === "project" ? undefined : why;
}

function PurgeDialog({ item, onClose }: { item: TrashItem; onClose: () => void }): ReactNode {
  const say = useSay();
  const name = visibleText(item.name);
  const purge = useAct(ORGANIZATION_ROUTES.purgeTrashItem, {
    changes: [ORGANIZATION_ROUTES.listTrashItems],
    onDone: () => {
      say(`${name} is deleted for good`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Delete ${name} for good`}
      projectId={item.kind === "project" ? undefined : item.project_id}
      type={name}
      action="Delete for good"
      busy={purge.isPending}
      error={purge.error}
      onClose={onClose}
      onConfirm={() => purge.mutate({ params: { item_id: item.id } })}
      about={
        <p>
          The {KIND_WORDS[item.kind].title.toLowerCase()} can&apos;t be restored any more. Its content is deleted within
          minutes. This cannot be undone.
        </p>
      }
    />
  );
}
