import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Project } from "./types.ts";

const CHANGES = [ORGANIZATION_ROUTES.listProjects, ORGANIZATION_ROUTES.getProject];

/** Sets the deletion lock of a production project, or removes it. */
export function DeletionLock({ project }: { project: Project }): ReactNode {
  const say = useSay();
  const mayNotSet = useWhyNotIn(project.id, "projects:write");
  const isOwner = useMe()?.role === "owner";
  const set = useAct(ORGANIZATION_ROUTES.lockProject, {
    changes: CHANGES,
    onDone: ({ name }) => say(`${name} has a deletion lock`),
  });
  const remove = useAct(ORGANIZATION_ROUTES.unlockProject, {
    changes: CHANGES,
    onDone: ({ name }) => say(`${name} has no deletion lock any more`),
  });
  const isLocked = project.deletion_lock;
  const notProduction =
    project.environment === "production" ? undefined : "Only a project with the environment production can have it";
  const whyNotSet = mayNotSet ?? notProduction;
  const whyNotRemove = mayNotSet ?? (isOwner ? undefined : "Only an owner of the organization can remove it");
  const act = isLocked ? remove : set;
  const why = isLocked ? whyNotRemove : whyNotSet;
  return (
    <section className="flex flex-col items-start gap-2 rounded border border-line-2 p-3">
      <h3>Deletion lock</h3>
      <p>
        {isLocked
          ? "The project, its apps, its webhooks and the content of its repositories can't be deleted."
          : "While a production project has the lock, it, its apps, its webhooks and the content of its repositories can't be deleted. Only an owner removes the lock."}
      </p>
      <Button
        disabled={why !== undefined}
        title={why}
        busy={act.isPending}
        onClick={() => act.mutate({ params: { project_id: project.id } })}
      >
        {isLocked ? "Remove the lock" : "Set the lock"}
      </Button>
      <ErrorNote error={act.error} />
    </section>
  );
}
