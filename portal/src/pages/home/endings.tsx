import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { EndOf } from "~/access/end-of.tsx";
import { useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";

type Ending = ResultOf<typeof ORGANIZATION_ROUTES.listEndings>["items"][number];

const COLUMNS: readonly Column<Ending>[] = [
  { title: "Person", grow: true, cell: ({ name, email }) => <ForeignText text={name === "" ? email : name} /> },
  { title: "Of", cell: ({ project }) => project?.slug ?? "the organization" },
  { title: "Role", cell: ({ role }) => role },
  { title: "Ends", cell: ({ expires_at }) => <EndOf at={expires_at} /> },
];

/** Lists memberships that end within 30 days. Shows nothing if there are none. */
export function Endings(): ReactNode {
  const enabled = useMayIn(null, "members:write");
  const { data } = useRead(ORGANIZATION_ROUTES.listEndings, {}, { enabled });
  const items = data?.items.filter(({ ended }) => !ended) ?? [];
  if (items.length === 0) return null;
  return (
    <Section
      title="Memberships that end soon"
      about="These people lose access, and so do their credentials"
      flush
      actions={<PageLink page="members">Members</PageLink>}
    >
      <Table
        label="Memberships that end within 30 days"
        items={items}
        columns={COLUMNS}
        keyOf={({ kind, user_id, invitation_id, project }) =>
          `${kind} ${user_id ?? invitation_id} ${project?.id ?? ""}`
        }
      />
    </Section>
  );
}
