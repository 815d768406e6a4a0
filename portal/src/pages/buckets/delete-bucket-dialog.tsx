import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { useSay } from "~/kit/toast.tsx";
import type { App } from "./apps.ts";

interface DeleteBucketDialogProps {
  app: App;
  emptyCommand: string;
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes an app with its bucket and its repository. */
export function DeleteBucketDialog({ app, emptyCommand, onDeleted, onClose }: DeleteBucketDialogProps): ReactNode {
  const say = useSay();
  const remove = useAct(ORGANIZATION_ROUTES.deleteApp, {
    changes: [ORGANIZATION_ROUTES.listApps],
    onDone: () => {
      say(`${app.slug} is deleted`);
      onClose();
      onDeleted();
    },
  });
  return (
    <DangerDialog
      title={`Delete ${app.slug}`}
      projectId={app.project_id}
      type={app.slug}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { app_id: app.slug } })}
      about={
        <div className="flex flex-col gap-2">
          <p>
            This deletes the app with the bucket <code>{app.bucket}</code>, its policy, rules and notifications, and the
            repository <code>{app.repository}</code>. S3 keys that are limited to this bucket lose all access.
          </p>
          <p>
            If one of them has content, the app goes to the trash, and can be restored for a time. Meanwhile its name is
            free at once. To delete the content for good, the command below deletes objects, old versions and uploads.
            Delete images on{" "}
            <PageLink page={`images/${app.slug}`} className={`${PROSE_LINK} whitespace-nowrap`}>
              its page
            </PageLink>
            .
          </p>
          <CopyBlock text={emptyCommand} label="empty the bucket" />
        </div>
      }
    />
  );
}
