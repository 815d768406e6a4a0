import { titleOfRole } from "~/access/roles.tsx";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { curlOf } from "~/kit/shell.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { Groups } from "./groups.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { EndOf } from "~/access/end-of.tsx";
import type { Person } from "~/access/people.ts";
import { PersonInspector } from "./person-inspector.tsx";
import { SecondFactor } from "./second-factor.tsx";

type MembersSearch = {
  readonly person: string | undefined;
  readonly invite: boolean | undefined;
  readonly closed: boolean | undefined;
};

/** The organization's people with their roles, and the invitations. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<MembersSearch>();
  const [isInviting, setInviting] = useState(false);
  const mayWrite = useMayIn(null, "members:write");
  const list = useList(ORGANIZATION_ROUTES.listMembers, {});
  const columns = useColumns(search.person !== undefined);
  const isOpen = isInviting || search.invite === true;
  return (
    <Frame
      title="Members"
      about={`Members of the organization. The page Roles shows the permissions of each role.${mayWrite ? "" : " Your role lacks members:write, so you can only view."}`}
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}/v1/members?limit=100`)} label="Copy as curl" />
          <Button
            look="main"
            disabled={!mayWrite}
            title={mayWrite ? undefined : "Your role lacks members:write"}
            onClick={() => setInviting(true)}
          >
            Invite
          </Button>
        </>
      }
    >
      <WithInspector
        inspector={
          search.person !== undefined && (
            <PersonInspector key={search.person} id={search.person} onClose={() => change({ person: undefined })} />
          )
        }
      >
        <div className="flex min-w-0 flex-col gap-4">
          <Section
            title="People"
            about={list.isPending ? undefined : `${list.items.length}${list.hasMore ? " so far" : ""}`}
            flush
          >
            <ListTable
              label="People of the organization"
              list={list}
              columns={columns}
              keyOf={({ user_id }) => user_id}
              openKey={search.person}
              onOpen={({ user_id }) =>
                change({ person: user_id === search.person ? undefined : user_id }, { push: true })
              }
              empty={<NoPeople />}
            />
          </Section>
          <Groups mayWrite={mayWrite} />
          {mayWrite && <Invitations search={search} onChange={change} />}
        </div>
      </WithInspector>
      {isOpen && (
        <InviteDialog
          onClose={() => {
            setInviting(false);
            if (search.invite !== undefined) change({ invite: undefined });
          }}
        />
      )}
    </Frame>
  );
}

/** Returns fewer columns while the inspector is open. */
function useColumns(isCompact: boolean): readonly Column<Person>[] {
  const me = useMe();
  const columns: readonly Column<Person>[] = [
    {
      title: "Name",
      grow: true,
      cell: ({ name, user_id }) => (
        <>
          {name} {user_id === me?.id && <Badge>you</Badge>}
        </>
      ),
    },
    { title: "E-mail", cell: ({ email }) => email },
    { title: "Role", cell: titleOfRole },
    { title: "Ends", cell: ({ expires_at }) => <EndOf at={expires_at} /> },
    { title: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Second factor", cell: ({ second_factor }) => <SecondFactor has={second_factor} /> },
    { title: "Joined", cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return isCompact ? columns.slice(0, 4) : columns;
}

function NoPeople(): ReactNode {
  return (
    <Empty title="There are no members yet">
      <p>An organization created on the command line has no members. Its set-up link creates the first owner.</p>
      <CopyBlock text="npx mooring bootstrap --data-dir ./data" />
    </Empty>
  );
}
