import { ALERT_ROUTES, FILE_ROUTES, ORGANIZATION_ROUTES, REGISTRY_API_ROUTES, WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";
import { KIND_WORDS, type TrashItem } from "./items.ts";

/** The lists that show restored objects. */
const CHANGES = [
  ORGANIZATION_ROUTES.listTrashItems,
  ORGANIZATION_ROUTES.listProjects,
  ORGANIZATION_ROUTES.listApps,
  ORGANIZATION_ROUTES.listCredentials,
  ORGANIZATION_ROUTES.getMe,
  WEBHOOK_ROUTES.listWebhooks,
  REGISTRY_API_ROUTES.listImageRepositories,
  FILE_ROUTES.listFiles,
  ALERT_ROUTES.listAlerts,
];

/** Restores an object. An app or a project can get another slug, if a new object has its former one. */
export function RestoreDialog({ item, onClose }: { item: TrashItem; onClose: () => void }): ReactNode {
  const say = useSay();
  const name = visibleText(item.name);
  const { title, back, hasSlug } = KIND_WORDS[item.kind];
  const [slug, setSlug] = useState(item.name);
  const restore = useAct(ORGANIZATION_ROUTES.restoreTrashItem, {
    changes: CHANGES,
    onDone: () => {
      say(`${name} is restored`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const query = hasSlug && slug !== item.name ? { slug } : {};
    restore.mutate({ params: { item_id: item.id }, query });
  };
  return (
    <Dialog title={`Restore ${name}`} about={back} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {hasSlug && (
          <TextField
            label="Slug"
            hint={`Choose another one if a new ${title.toLowerCase()} has this slug.`}
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
          />
        )}
        <ErrorNote error={restore.error} />
        <FormActions action="Restore" busy={restore.isPending} disabled={slug === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
