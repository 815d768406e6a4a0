import type { ReactNode } from "react";
import { Badge, State } from "~/kit/state.tsx";
import { usePlace } from "./scope.ts";

/** The environment where a destructive action asks twice. */
const PRODUCTION = "production";

/** What a project says of itself beside its name: where it runs, and that it takes no changes. */
export function ProjectBadges({
  project: { environment, archived },
}: {
  project: { readonly environment: string | null; readonly archived: boolean };
}): ReactNode {
  return (
    <>
      {environment !== null && <EnvironmentBadge environment={environment} />} {archived && <Badge>archived</Badge>}
    </>
  );
}

export function EnvironmentBadge({ environment }: { environment: string }): ReactNode {
  if (environment !== PRODUCTION) return <Badge>{environment}</Badge>;
  return <span className="rounded border border-stop px-1.5 text-s whitespace-nowrap text-stop">{environment}</span>;
}

/** The projects that an action destroys something in: one, several, null for none, undefined for the one in the address. */
export type ProjectsOf = string | null | undefined | readonly (string | null)[];

/**
 * Says, before something is destroyed, that it is in production.
 */
export function ProductionWarning({ projectId }: { projectId: ProjectsOf }): ReactNode {
  const place = usePlace();
  if (place.kind !== "found") return null;
  const ids = projectId === undefined ? [place.project?.id ?? null] : [projectId].flat();
  const project = place.me.projects.find(({ id, environment }) => environment === PRODUCTION && ids.includes(id));
  if (project === undefined) return null;
  return (
    <p className="rounded border border-stop bg-stop-2 px-2.5 py-1.5 text-ink">
      <State kind="stop">Production</State> <b className="font-medium">{project.name}</b> is a production project: its
      users notice at once.
    </p>
  );
}
