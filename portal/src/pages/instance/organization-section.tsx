import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { pagePath } from "~/app/page-link.tsx";
import { WHOLE_ORGANIZATION } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { TextInput } from "~/kit/field.tsx";
import { Menu, MenuItem, MenuLine } from "~/kit/menu.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { CreateOrganizationDialog } from "./create-organization-dialog.tsx";
import { DeleteOrganizationDialog, KeepOrganizationDialog } from "./delete-organization-dialog.tsx";
import { QuotaDialog } from "./quota-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { NAMES, SuspendDialog } from "./suspend-dialog.tsx";
import type { Organization } from "./types.ts";

/** The dialogs for one organization. */
const DIALOGS = {
  suspend: SuspendDialog,
  rename: RenameDialog,
  quotas: QuotaDialog,
  delete: DeleteOrganizationDialog,
  keep: KeepOrganizationDialog,
};

interface Chosen {
  readonly act: keyof typeof DIALOGS;
  readonly organization: Organization;
}

/** Lists all organizations of the server, and creates one for an owner. */
export function OrganizationSection(): ReactNode {
  const mine = useSession().organizations.map(({ slug }) => slug);
  const [search, setSearch] = useSearchState<{ q: string | undefined }>();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const OpenDialog = chosen === null ? null : DIALOGS[chosen.act];
  const query = search.q ?? "";
  const organizations = useList(PORTAL_ROUTES.listOrganizations, { query: query === "" ? {} : { q: query } });
  const create = (
    <Button look="main" onClick={() => setOpen(true)}>
      Create organization
    </Button>
  );
  return (
    <Section
      title="Organizations"
      flush
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
          {create}
        </>
      }
    >
      <ListTable
        label="Organizations"
        columns={columns(mine, setChosen)}
        list={organizations}
        keyOf={({ id }) => id}
        empty={
          <Empty title={query === "" ? "No organization yet" : "No organization of this name"}>
            <p>An organization has projects, people and credentials. Organizations share nothing.</p>
          </Empty>
        }
      />
      {isOpen && <CreateOrganizationDialog onClose={() => setOpen(false)} />}
      {chosen !== null && OpenDialog !== null && (
        <OpenDialog organization={chosen.organization} onClose={() => setChosen(null)} />
      )}
    </Section>
  );
}

const KINDS: Record<Organization["state"], StateKind> = {
  active: "go",
  read_only: "warn",
  blocked: "stop",
  deleting: "stop",
};

function columns(mine: readonly string[], onChoose: (chosen: Chosen) => void): readonly Column<Organization>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => name },
    { title: "Slug", cell: ({ slug }) => <Copyable text={slug} /> },
    {
      title: "Members",
      number: true,
      cell: ({ members, members_is_lower_bound: isCut }) => (isCut === true ? `> ${members}` : members),
    },
    { title: "State", cell: ({ state }) => <State kind={KINDS[state]}>{NAMES[state]}</State> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
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
    {
      title: "Actions",
      cell: (organization) => (
        <Menu
          trigger={
            <Button look="quiet" className="h-6" aria-label={`Actions on ${organization.name}`}>
              Actions
            </Button>
          }
        >
          {organization.deletes_at === null && (
            <MenuItem onSelect={() => onChoose({ act: "suspend", organization })}>
              {organization.state === "active" ? "Suspend" : "Change state"}
            </MenuItem>
          )}
          <MenuItem onSelect={() => onChoose({ act: "rename", organization })}>Rename</MenuItem>
          <MenuItem onSelect={() => onChoose({ act: "quotas", organization })}>Quotas</MenuItem>
          <MenuLine />
          {organization.deletes_at === null ? (
            <MenuItem danger onSelect={() => onChoose({ act: "delete", organization })}>
              Delete
            </MenuItem>
          ) : (
            <MenuItem onSelect={() => onChoose({ act: "keep", organization })}>Keep</MenuItem>
          )}
        </Menu>
      ),
    },
  ];
}
