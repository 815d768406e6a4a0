import { LIMITED_STATES, PROJECT_STATE_RULES, type ProjectState } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { Menu, MenuItem, MenuLabel, MenuLine } from "~/kit/menu.tsx";
import { pagePath } from "./page-link.tsx";
import { EnvironmentBadge, ProjectBadges } from "./environment.tsx";
import { stateOf } from "./project-state.ts";
import { useMe, usePlace, useScopeParams, WHOLE_ORGANIZATION, type Me } from "./scope.ts";

/** Chooses the organization and project of the pages. */
export function ScopePicker(): ReactNode {
  const { org, project } = useScopeParams();
  const { organizations } = useSession();
  const me = useMe();
  const place = usePlace();
  const present = place.kind === "found" ? place.project : null;
  const shown = shownName(project, place.kind === "absent");
  const inState = (state: ProjectState) => me?.projects.filter((each) => stateOf(each) === state) ?? [];
  const limited = LIMITED_STATES.map((state) => ({ state, projects: inState(state) }));
  const navigate = useNavigate();
  const go = (slug: string, to: string): void => void navigate({ to: pagePath(slug, to, "") });
  return (
    <Menu
      trigger={
        <button
          type="button"
          onClick={(event) => event.stopPropagation()}
          className="flex min-h-[30px] items-center justify-between gap-2 rounded border border-line bg-sheet px-2 text-left hover:bg-well"
        >
          <span className="truncate">{org}</span>{" "}
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="truncate text-ink-3">{shown}</span>{" "}
            {present !== null && <ProjectBadges project={present} />}{" "}
            <span className="text-ink-3" aria-hidden="true">
              ▾
            </span>
            <span className="sr-only">: choose an organization and project</span>
          </span>
        </button>
      }
    >
      <MenuLabel>Projects of {org}</MenuLabel>
      <MenuItem onSelect={() => go(org, WHOLE_ORGANIZATION)}>All projects</MenuItem>
      {inState("active").map((each) => (
        <ProjectItem key={each.id} project={each} onSelect={() => go(org, each.slug)} />
      ))}
      {me !== null && me !== undefined && me.projects_next_cursor !== null && (
        <p className="px-2 py-1 text-s text-ink-3">
          Only the newest {me.projects.length} projects are listed. Find the others on the page Projects.
        </p>
      )}
      {limited.map(
        ({ state, projects }) =>
          projects.length > 0 && (
            <Fragment key={state}>
              <MenuLine />
              <MenuLabel>{PROJECT_STATE_RULES[state].title}</MenuLabel>
              {projects.map((each) => (
                <ProjectItem key={each.id} project={each} onSelect={() => go(org, each.slug)} />
              ))}
            </Fragment>
          ),
      )}
      {organizations.length > 1 && (
        <>
          <MenuLine />
          <MenuLabel>Organizations</MenuLabel>
          {organizations.map(({ id, slug }) => (
            <MenuItem key={id} onSelect={() => go(slug, WHOLE_ORGANIZATION)}>
              {slug}
            </MenuItem>
          ))}
        </>
      )}
    </Menu>
  );
}

/** Hides the name of an absent project, since it would look as if the project existed. */
function shownName(project: string, isAbsent: boolean): string {
  if (isAbsent) return "choose a project";
  return project === WHOLE_ORGANIZATION ? "all projects" : project;
}

function ProjectItem({ project, onSelect }: { project: Me["projects"][number]; onSelect: () => void }): ReactNode {
  return (
    <MenuItem onSelect={onSelect}>
      <span className="min-w-0 flex-1 truncate">{project.slug}</span>
      {project.visibility === "private" && <span className="text-s text-ink-3">private</span>}
      {project.environment !== null && <EnvironmentBadge environment={project.environment} />}
    </MenuItem>
  );
}
