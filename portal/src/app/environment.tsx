import type { ReactNode } from "react";
import { Badge, State } from "~/kit/state.tsx";
import { stateWordsOf, type WithState } from "./project-state.ts";
import { usePlace } from "./scope.ts";

/** The environment whose destructive actions show a warning. */
const PRODUCTION = "production";

/** Shows a project's environment, and its state if that forbids something. */
export function ProjectBadges({
  project,
}: {
  project: WithState & { readonly environment: string | null };
}): ReactNode {
  const { environment } = project;
  const state = stateWordsOf(project);
  return (
    <>
      {environment !== null && <EnvironmentBadge environment={environment} />}{" "}
      {state !== undefined && <Badge>{state.name}</Badge>}
    </>
  );
}

export function EnvironmentBadge({ environment }: { environment: string }): ReactNode {
  if (environment !== PRODUCTION) return <Badge>{environment}</Badge>;
  return <span className="rounded border border-stop px-1.5 text-s whitespace-nowrap text-stop">{environment}</span>;
}

/**
 * The projects in which an action destroys something: one, several, null for none, undefined for the one in the
 * address.
 */
export type ProjectsOf = string | null | undefined | readonly (string | null)[];

/** Warns that an action destroys something in a production project. */
export function ProductionWarning({ projectId }: { projectId: ProjectsOf }): ReactNode {
  const place = usePlace();
  if (place.kind !== "found") return null;
  const ids = projectId === undefined ? [place.project?.id ?? null] : [projectId].flat();
  const project = place.me.projects.find(({ id, environment }) => environment === PRODUCTION && ids.includes(id));
  if (project === undefined) return null;
  return (
    <p className="rounded border border-stop bg-stop-2 px-2.5 py-1.5 text-ink">
      <State kind="stop">Production</State> <b className="font-medium">{project.name}</b> is a production project. Its
      users notice the change at once.
    </p>
  );
}
