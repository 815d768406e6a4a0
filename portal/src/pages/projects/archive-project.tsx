import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Project } from "./types.ts";

const CHANGES = [ORGANIZATION_ROUTES.listProjects, ORGANIZATION_ROUTES.getProject, ORGANIZATION_ROUTES.getMe];

/** Archives a project, or unarchives it. */
export function ArchiveProject({ project }: { project: Project }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNotIn(project.id, "projects:write");
  return (
    <section className="flex flex-col items-start gap-2 rounded border border-line-2 p-3">
      <h3>{project.archived_at === null ? "Archive" : "Archived"}</h3>
      {project.archived_at === null ? (
        <>
          <p>An archived project is read-only. You can unarchive it at any time.</p>
          <Button disabled={why !== undefined} title={why} onClick={() => setOpen(true)}>
            Archive this project
          </Button>
        </>
      ) : (
        <>
          <p>
            Since <Time at={project.archived_at} /> it is read-only, except its settings, members, credentials and keys.
          </p>
          <Unarchive project={project} why={why} />
        </>
      )}
      {isOpen && <Confirm project={project} onClose={() => setOpen(false)} />}
    </section>
  );
}

function Unarchive({ project, why }: { project: Project; why: string | undefined }): ReactNode {
  const say = useSay();
  const back = useAct(ORGANIZATION_ROUTES.unarchiveProject, {
    changes: CHANGES,
    onDone: ({ name }) => say(`${name} is not archived any more`),
  });
  return (
    <>
      <Button
        disabled={why !== undefined}
        title={why}
        busy={back.isPending}
        onClick={() => back.mutate({ params: { project_id: project.id } })}
      >
        Unarchive
      </Button>
      <ErrorNote error={back.error} />
    </>
  );
}

function Confirm({ project, onClose }: { project: Project; onClose: () => void }): ReactNode {
  const say = useSay();
  const archive = useAct(ORGANIZATION_ROUTES.archiveProject, {
    changes: CHANGES,
    onDone: ({ name }) => {
      say(`${name} is archived`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Archive ${project.name}`}
      projectId={project.id}
      about={
        <div className="flex flex-col gap-2">
          <p>This applies on all nodes, and also to tokens that are already issued:</p>
          <ul className="list-disc pl-5">
            <li>telemetry, uploads, pushes, and writes to its buckets are refused;</li>
            <li>its webhooks answer 404, so events sent to them are lost;</li>
            <li>its alerts do not run, and its apps, files and saved queries cannot be changed or deleted.</li>
          </ul>
          <p>Reading still works, and retention still deletes old data.</p>
        </div>
      }
      action="Archive the project"
      busy={archive.isPending}
      error={archive.error}
      onConfirm={() => archive.mutate({ params: { project_id: project.id } })}
      onClose={onClose}
    />
  );
}
