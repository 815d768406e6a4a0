import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { pagePath } from "~/app/page-link.tsx";
import { WHOLE_ORGANIZATION } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { TextInput } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { FoundDialog } from "./found-dialog.tsx";

type Organization = ResultOf<typeof PORTAL_ROUTES.listOrganizations>["items"][number];

/** Every organization of the server; a new one is founded for its owner. */
export function OrganizationSection(): ReactNode {
  const organizations = useRead(PORTAL_ROUTES.listOrganizations, {});
  const mine = useSession().organizations.map(({ slug }) => slug);
  const [search, setSearch] = useSearchState<{ q: string | undefined }>();
  const [isOpen, setOpen] = useState(false);
  const query = search.q ?? "";
  const all = organizations.data?.items ?? [];
  const shown = all.filter(({ slug, name }) => `${slug} ${name}`.toLowerCase().includes(query.toLowerCase()));
  const found = (
    <Button look="main" onClick={() => setOpen(true)}>
      Found an organization
    </Button>
  );
  return (
    <Section
      title="Organizations"
      flush
      about={
        organizations.data &&
        (query === "" ? plural(all.length, "organization") : `${shown.length} of ${plural(all.length, "organization")}`)
      }
      actions={
        <>
          <span className="w-44">
            <TextInput
              type="search"
              data-search
              aria-label="Search organizations by name"
              placeholder="Search by name"
              value={query}
              onChange={(event) => setSearch({ q: event.target.value === "" ? undefined : event.target.value })}
            />
          </span>
          {found}
        </>
      }
    >
      <Loaded result={organizations}>
        {() =>
          shown.length === 0 ? (
            <Empty title={all.length === 0 ? "No organization yet" : "No organization of this name"}>
              <p>An organization holds projects, people and credentials; nothing is shared between two of them.</p>
            </Empty>
          ) : (
            <Table label="Organizations" columns={columns(mine)} items={shown} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isOpen && <FoundDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

function columns(mine: readonly string[]): readonly Column<Organization>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => name },
    { title: "Slug", cell: ({ slug }) => <Copyable text={slug} /> },
    { title: "Members", number: true, cell: ({ members }) => members },
    { title: "Founded", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Yours",
      cell: ({ slug }) =>
        mine.includes(slug) ? (
          <ButtonLink look="quiet" className="h-6" to={pagePath(slug, WHOLE_ORGANIZATION, "")}>
            Open
          </ButtonLink>
        ) : (
          <span className="text-ink-3">not a member</span>
        ),
    },
  ];
}
