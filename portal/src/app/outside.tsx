import { FILE_ROUTES, type Route } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList, useRead } from "~/api/queries.ts";
import { useSql } from "~/kit/chart-query.ts";
import { numberOf, textOf } from "~/kit/chart-rows.ts";
import { countText, plural } from "~/kit/figures.ts";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { useMayAnywhere } from "./may.ts";
import { PageLink } from "./page-link.tsx";
import { usePlace, WHOLE_ORGANIZATION, type Project } from "./scope.ts";

/*
  When a page is empty in the address's project, these components show how much the person can see in other projects,
  with a link. They show nothing if the address names the whole organization.
*/

/** Returns the project that the address names. Null: the whole organization. */
function useScopeProject(): Project | null {
  const place = usePlace();
  return place.kind === "found" ? place.project : null;
}

const TABLES = {
  logs: ["log entry", "log entries"],
  metrics: ["metric point", "metric points"],
  traces: ["span", "spans"],
  webhook_events: ["webhook event", "webhook events"],
} as const;

interface TelemetryProps {
  readonly table: keyof typeof TABLES;
  /** The page that shows these rows. */
  readonly page: string;
  readonly bounds?: { readonly from?: string | undefined; readonly to?: string | undefined };
}

/** Shows the rows of other projects, counted by project. */
export function TelemetryOutside(props: TelemetryProps): ReactNode {
  const project = useScopeProject();
  const may = useMayAnywhere("telemetry:read");
  return project === null || !may ? null : <RowsOutside {...props} project={project} />;
}

const PLACES_MAX = 5;

function RowsOutside({ table, page, bounds = {}, project }: TelemetryProps & { project: Project }): ReactNode {
  const place = usePlace();
  const { rows } = useSql({
    sql: `SELECT project_id, count(*) AS n FROM ${table} WHERE coalesce(project_id, '') <> $project GROUP BY project_id ORDER BY n DESC LIMIT ${PLACES_MAX}`,
    parameters: { project: project.id },
    ...bounds,
  });
  const projects = place.kind === "found" ? place.me.projects : [];
  if (rows.length === 0) return null;
  return (
    <Note page={page}>
      {rows.map((row, index) => {
        const slug = projects.find(({ id }) => id === textOf(row, "project_id"))?.slug;
        return (
          <span key={textOf(row, "project_id")}>
            {index > 0 && ", "}
            {countText(numberOf(row, "n"))} {TABLES[table][numberOf(row, "n") === 1 ? 0 : 1]}{" "}
            {slug === undefined ? "without a project" : <InProject page={page} slug={slug} />}
          </span>
        );
      })}
    </Note>
  );
}

function InProject({ page, slug }: { page: string; slug: string }): ReactNode {
  return (
    <>
      in{" "}
      <PageLink page={page} project={slug} className={PROSE_LINK}>
        {slug}
      </PageLink>
    </>
  );
}

export function FilesOutside(): ReactNode {
  const project = useScopeProject();
  const may = useMayAnywhere("files:read");
  return project === null || !may ? null : <SomeFilesOutside />;
}

/** Counts all files: this is shown only if the project has none. */
function SomeFilesOutside(): ReactNode {
  const { data } = useRead(FILE_ROUTES.listFiles, { query: { limit: 1 } });
  const total = data?.data.total ?? 0;
  return total === 0 ? null : <Note page="files">{plural(total, "file")}</Note>;
}

interface ListProps<T extends Route> {
  /** The operation that lists them in the whole organization. */
  readonly row: T;
  readonly page: string;
  /** The plural of their name. */
  readonly what: string;
}

/** Says that other projects have objects of this list. */
export function ListOutside<const T extends Route>(props: ListProps<T>): ReactNode {
  return useScopeProject() === null ? null : <SomeOutside {...props} />;
}

function SomeOutside<const T extends Route>({ row, page, what }: ListProps<T>): ReactNode {
  const query = { query: { limit: 1 } } as unknown as Parameters<typeof useList<T>>[1];
  const { items } = useList(row, query);
  return items.length === 0 ? null : <Note page={page}>{what}</Note>;
}

function Note({ page, children }: { page: string; children: ReactNode }): ReactNode {
  const project = useScopeProject();
  return (
    <p role="note" className="rounded border border-warn bg-warn-2 px-3 py-2 text-ink">
      This page shows only the project {project?.slug}. Outside of this project: {children}.{" "}
      <PageLink page={page} project={WHOLE_ORGANIZATION} className={PROSE_LINK}>
        Show all projects
      </PageLink>
    </p>
  );
}
