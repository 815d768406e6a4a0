import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { Menu, MenuItem, MenuLabel, MenuLine } from "~/kit/menu.tsx";
import { pagePath } from "./page-link.tsx";
import { useMe, useScopeParams, WHOLE_ORGANIZATION } from "./scope.ts";

/** Which organization and project the pages speak of. */
export function ScopePicker(): ReactNode {
  const { org, project } = useScopeParams();
  const { organizations } = useSession();
  const me = useMe();
  const navigate = useNavigate();
  const go = (slug: string, to: string): void => void navigate({ to: pagePath(slug, to, "") });
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`${org} ${project === WHOLE_ORGANIZATION ? "all projects" : project}: choose an organization and project`}
          onClick={(event) => event.stopPropagation()}
          className="flex min-h-[30px] items-center justify-between gap-2 rounded border border-line bg-sheet px-2 text-left hover:bg-well"
        >
          <span className="truncate">{org}</span>{" "}
          <span className="truncate text-ink-3">{project === WHOLE_ORGANIZATION ? "all projects" : project} ▾</span>
        </button>
      }
    >
      <MenuLabel>Projects of {org}</MenuLabel>
      <MenuItem onSelect={() => go(org, WHOLE_ORGANIZATION)}>All projects</MenuItem>
      {me?.projects.map(({ id, slug, visibility }) => (
        <MenuItem key={id} onSelect={() => go(org, slug)}>
          {slug} {visibility === "private" && <span className="text-s text-ink-3">private</span>}
        </MenuItem>
      ))}
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
