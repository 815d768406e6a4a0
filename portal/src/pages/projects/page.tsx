import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { type ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { curlOf } from "~/kit/shell.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { ProjectBadges } from "~/app/environment.tsx";
import { useMe } from "~/app/scope.ts";
import { Checkbox, SelectField } from "~/kit/field.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { ProjectInspector } from "./project-inspector.tsx";
import type { Project, ProjectsSearch } from "./types.ts";
import { ENVIRONMENTS, VISIBILITY_ABOUT } from "./visibility.ts";

const COLUMNS: readonly Column<Project>[] = [
  {
    title: "Name",
    grow: true,
    cell: (project) => (
      <span className="flex items-center gap-2">
        {project.name} <ProjectBadges project={project} />
      </span>
    ),
  },
  { title: "Slug", cell: ({ slug }) => <code>{slug}</code> },
  { title: "Seen by", cell: ({ visibility }) => VISIBILITY_ABOUT[visibility].title },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The projects, their members and their apps. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<ProjectsSearch>();
  const why = useWhyNotIn(null, "projects:write");
  const mayWrite = why === undefined;
  const { environment, archived = false } = search;
  const query = { environment, ...(archived ? {} : { archived: false }) };
  const list = useList(ORGANIZATION_ROUTES.listProjects, { query });
  const create = (
    <Button look="main" disabled={!mayWrite} title={why} onClick={() => change({ new: true }, { push: true })}>
      Create project
    </Button>
  );
  const { open } = search;
  return (
    <Frame
      title="Projects and apps"
      about={`A project groups apps and data, and defines who sees them. An app is a repository for images and a bucket for objects.${mayWrite ? "" : " Your role lacks projects:write, so you cannot create one."}`}
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}/v1/projects?limit=100`)} label="Copy as curl" />
          {create}
        </>
      }
    >
      <WithInspector
        inspector={
          open !== undefined && (
            <ProjectInspector
              key={open}
              id={open}
              tab={search.tab ?? "apps"}
              onTab={(tab) => change({ tab })}
              onClose={() => change({ open: undefined, tab: undefined })}
            />
          )
        }
      >
        <Section title="Projects" flush actions={<Filters search={search} onChange={change} />}>
          <ListTable
            label="Projects, newest first"
            list={list}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            openKey={open}
            onOpen={({ id }) => change({ open: id === open ? undefined : id }, { push: true })}
            empty={
              <NoProjects
                isFiltered={environment !== undefined}
                onShowAll={() => change({ environment: undefined })}
                create={create}
              />
            }
          />
        </Section>
      </WithInspector>
      {search.new !== undefined && (
        <ProjectDialog
          project={null}
          onDone={({ id }) => change({ new: undefined, open: id })}
          onClose={() => change({ new: undefined })}
        />
      )}
    </Frame>
  );
}

function NoProjects({
  isFiltered,
  onShowAll,
  create,
}: {
  isFiltered: boolean;
  onShowAll: () => void;
  create: ReactNode;
}): ReactNode {
  if (isFiltered)
    return (
      <Empty title="No project has this environment" action={<Button onClick={onShowAll}>Show all</Button>}>
        <p>A project’s environment is a label in its settings.</p>
      </Empty>
    );
  return (
    <Empty title="No projects yet" action={create}>
      <p>All stored data belongs to a project or to the whole organization. Start with one project.</p>
      <CopyBlock text="npx mooring bootstrap --data-dir ./data --org acme --project web --app shop" />
    </Empty>
  );
}

function Filters({
  search: { environment, archived = false },
  onChange,
}: {
  search: Partial<ProjectsSearch>;
  onChange: (change: Partial<ProjectsSearch>) => void;
}): ReactNode {
  const labels = useMe()?.projects.flatMap((project) => project.environment ?? []) ?? [];
  const known = new Set<string>([...ENVIRONMENTS, ...labels, ...(environment === undefined ? [] : [environment])]);
  return (
    <>
      <SelectField
        label={<span className="sr-only">Environment</span>}
        value={environment ?? ""}
        onChange={({ target }) => onChange({ environment: target.value === "" ? undefined : target.value })}
      >
        <option value="">Every environment</option>
        {[...known].map((label) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label="Archived too"
        checked={archived}
        onChange={({ target }) => onChange({ archived: target.checked ? true : undefined })}
      />
    </>
  );
}
