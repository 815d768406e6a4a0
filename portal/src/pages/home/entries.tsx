import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { EndOf } from "~/access/end-of.tsx";
import { useList } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import type { Project } from "~/app/scope.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";

type Member = ResultOf<typeof ORGANIZATION_ROUTES.listProjectMembers>["items"][number];

const COLUMNS: readonly Column<Member>[] = [
  { title: "Owner", cell: ({ name }) => <ForeignText text={name} /> },
  { title: "Reason", grow: true, cell: ({ entered }) => <ForeignText text={entered?.reason ?? ""} /> },
  { title: "Entered", cell: ({ entered }) => <Time at={entered?.at ?? null} /> },
  { title: "Ends", cell: ({ expires_at }) => <EndOf at={expires_at} /> },
];

/** Tells the members of a private project which owners have entered it. Shows nothing if there are none. */
export function Entries({ project }: { project: Project }): ReactNode {
  const { items } = useList(ORGANIZATION_ROUTES.listProjectMembers, {
    params: { project_id: project.id },
    query: { limit: 100 },
  });
  const entered = items.filter((member) => member.entered !== null);
  if (entered.length === 0) return null;
  return (
    <Section
      title="Owners in this project"
      about="They are not members by a maintainer, but have entered the project by themselves"
      flush
      actions={
        <PageLink page="projects" search={{ open: project.id, tab: "members" }}>
          Members
        </PageLink>
      }
    >
      <Table
        label="Owners who have entered the project"
        items={entered}
        columns={COLUMNS}
        keyOf={({ user_id }) => user_id}
      />
    </Section>
  );
}
