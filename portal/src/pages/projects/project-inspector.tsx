import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { EnvironmentBadge } from "~/app/environment.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { stateSince, stateWordsOf } from "~/app/project-state.ts";
import { isOutside, useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Time } from "~/kit/time.tsx";
import { Apps } from "./apps.tsx";
import { ArchiveProject } from "./archive-project.tsx";
import { DeleteProject } from "./delete-project.tsx";
import { EnterProject } from "./enter-project.tsx";
import { DeletionLock } from "./deletion-lock.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { ProjectGroups } from "./project-groups.tsx";
import { ProjectMembers } from "./project-members.tsx";
import type { Project } from "./types.ts";
import { VISIBILITY_ABOUT } from "./visibility.ts";

interface InspectorProps {
  id: string;
  tab: string;
  onTab: (tab: string) => void;
  onClose: () => void;
}

/** Shows one project: its settings, its apps, its members, and its deletion. */
export function ProjectInspector({ id, tab, onTab, onClose }: InspectorProps): ReactNode {
  const result = useNamed(useRead(ORGANIZATION_ROUTES.getProject, { params: { project_id: id } }));
  const shown = result.data?.id === id ? result.data : undefined;
  return (
    <Inspector title={shown?.name ?? "Project"} onClose={onClose}>
      <Loaded result={{ data: shown, error: result.error }}>
        {(project) => <Details project={project} tab={tab} onTab={onTab} onGone={onClose} />}
      </Loaded>
    </Inspector>
  );
}

function Details({
  project,
  tab,
  onTab,
  onGone,
}: {
  project: Project;
  tab: string;
  onTab: (tab: string) => void;
  onGone: () => void;
}): ReactNode {
  const [isChanging, setChanging] = useState(false);
  const me = useMe();
  const why = useWhyNotIn(project.id, "projects:write");
  if (isOutside(me, project))
    return (
      <>
        <ProjectFacts project={project} />
        <EnterProject project={project} />
      </>
    );
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button disabled={why !== undefined} title={why} onClick={() => setChanging(true)}>
          Change
        </Button>
        <PageLink page="" project={project.slug} className="inline-flex h-[30px] items-center text-sea hover:underline">
          Go to its home page
        </PageLink>
      </div>
      <StateNote project={project} />
      <ProjectFacts project={project} />
      <Tabs
        label="Parts of the project"
        value={["apps", "members", "danger"].includes(tab) ? tab : "apps"}
        onChange={onTab}
        tabs={[
          { id: "apps", title: "Apps", content: <Apps project={project} /> },
          { id: "members", title: "Members", content: <MembersTab project={project} /> },
          {
            id: "danger",
            title: "Archive and delete",
            content: (
              <div className="flex flex-col gap-3">
                <ArchiveProject project={project} />
                <DeletionLock project={project} />
                <DeleteProject project={project} onGone={onGone} />
              </div>
            ),
          },
        ]}
      />
      {isChanging && (
        <ProjectDialog project={project} onDone={() => setChanging(false)} onClose={() => setChanging(false)} />
      )}
    </>
  );
}

/** Shows the state of the project, its start, and its meaning. */
function StateNote({ project }: { project: Project }): ReactNode {
  const words = stateWordsOf(project);
  const since = stateSince(project);
  if (words === undefined || since === null) return null;
  return (
    <p className="rounded border border-line-2 bg-well px-2.5 py-1.5">
      <State kind="stop">{words.title}</State> <Time at={since} />: it is {words.summary}.
    </p>
  );
}

function ProjectFacts({ project }: { project: Project }): ReactNode {
  const visibility = VISIBILITY_ABOUT[project.visibility];
  return (
    <Facts
      items={[
        ["Slug", <Copyable key="slug" text={project.slug} />],
        ["Id", <Copyable key="id" text={project.id} />],
        [
          "Seen by",
          <span key="seen">
            {visibility.title}
            <span className="block text-s text-ink-2">{visibility.about}</span>
          </span>,
        ],
        [
          "Environment",
          project.environment === null ? "not set" : <EnvironmentBadge key="env" environment={project.environment} />,
        ],
        ["Created", <Time key="created" at={project.created_at} />],
      ]}
    />
  );
}

function MembersTab({ project }: { project: Project }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <ProjectMembers project={project} />
      <ProjectGroups project={project} />
    </div>
  );
}
