import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { useSay } from "~/kit/toast.tsx";
import type { Project } from "./types.ts";

/** Deletes a project. It shows everything that is deleted with it, and the conditions. */
export function DeleteProject({ project, onGone }: { project: Project; onGone: () => void }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const mayWrite = useMayIn(project.id, "projects:write");
  return (
    <section className="flex flex-col items-start gap-2 rounded border border-stop p-3">
      <h3 className="text-stop">Danger zone</h3>
      <p>
        The project goes to the trash with everything in it: apps with images and objects, files, webhooks, telemetry.
        Its credentials and S3 keys can do nothing meanwhile. It can be restored until its time in the trash ends; then
        everything in it is deleted.
      </p>
      <Button
        look="danger"
        disabled={!mayWrite}
        title={mayWrite ? undefined : "Your role lacks projects:write"}
        onClick={() => setOpen(true)}
      >
        Delete this project
      </Button>
      {isOpen && <Confirm project={project} onGone={onGone} onClose={() => setOpen(false)} />}
    </section>
  );
}

function Confirm({
  project,
  onGone,
  onClose,
}: {
  project: Project;
  onGone: () => void;
  onClose: () => void;
}): ReactNode {
  const say = useSay();
  const remove = useAct(ORGANIZATION_ROUTES.deleteProject, {
    changes: [ORGANIZATION_ROUTES.listProjects, ORGANIZATION_ROUTES.getMe, ORGANIZATION_ROUTES.listCredentials],
    onDone: () => {
      say(`${project.name} is deleted`);
      onClose();
      onGone();
    },
  });
  return (
    <DangerDialog
      title={`Delete ${project.name}`}
      projectId={project.id}
      about={<WhatGoes project={project} />}
      type={project.slug}
      action="Delete the project"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { project_id: project.id } })}
      onClose={onClose}
    />
  );
}

function WhatGoes({ project }: { project: Project }): ReactNode {
  const query = { project: project.id, limit: 100 };
  const apps = useList(ORGANIZATION_ROUTES.listApps, { query }, { enabled: useMayIn(project.id, "apps:read") });
  const mayKnow = useMayIn(project.id, "credentials:read");
  const credentials = useList(ORGANIZATION_ROUTES.listCredentials, { query }, { enabled: mayKnow });
  const count = ({ items, hasMore }: { items: readonly unknown[]; hasMore: boolean }, one: string): string =>
    `${hasMore ? "more than " : ""}${plural(items.length, one)}`;
  return (
    <div className="flex flex-col gap-2">
      <p>
        It has <strong className="font-medium">{count(apps, "app")}</strong>
        {mayKnow && (
          <>
            {" "}
            and <strong className="font-medium">{count(credentials, "live credential")}</strong>
          </>
        )}
        .{credentials.items.length > 0 && " Programs that use these credentials are refused at once."}
      </p>
      <p>
        It can be restored for a time, on the page{" "}
        <PageLink page="trash" project="-" className={PROSE_LINK}>
          Trash
        </PageLink>
        .
      </p>
    </div>
  );
}
