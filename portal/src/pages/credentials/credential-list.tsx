import type { ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { useMayAnywhere } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Checkbox, TextInput } from "~/kit/field.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { usePeople } from "~/access/people.ts";
import { Owner } from "./owner.tsx";
import { ownerLeft, stateOf } from "./state.ts";
import type { Credential, CredentialSearch } from "./types.ts";

interface ListProps {
  list: ItemList<Credential>;
  search: Partial<CredentialSearch>;
  onChange: (part: Partial<CredentialSearch>, options?: { push?: boolean }) => void;
}

const COMPACT: ReadonlySet<string> = new Set(["Name", "State", "Last used", "Ends"]);

/** Credentials as rows. The text narrows down what was loaded, and says of how many. */
export function CredentialList({ list, search, onChange }: ListProps): ReactNode {
  const columns = useColumns(search.credential !== undefined);
  const mayWrite = useMayAnywhere("credentials:write");
  const text = String(search.q ?? "").toLowerCase();
  const fitting = list.items.filter(({ name, client_id }) => `${name} ${client_id}`.toLowerCase().includes(text));
  return (
    <Section flush>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-2.5">
        <TextInput
          data-search
          aria-label="Find by name or client id"
          placeholder="Name or client id"
          className="max-w-72"
          value={search.q ?? ""}
          onChange={(event) => onChange({ q: event.target.value === "" ? undefined : event.target.value })}
        />
        <Checkbox
          label="Show revoked"
          checked={search.revoked === true}
          onChange={(event) => onChange({ revoked: event.target.checked ? true : undefined })}
        />
        <span className="ml-auto text-ink-2" role="status">
          {text !== "" && `${fitting.length} of `}
          {list.items.length}
          {list.hasMore && " so far"}
        </span>
      </div>
      <ListTable
        label="Credentials, newest first"
        list={{ ...list, items: list.items.length === 0 || text === "" ? list.items : fitting }}
        columns={columns}
        keyOf={({ id }) => id}
        openKey={search.credential}
        onOpen={({ id }) => onChange({ credential: id === search.credential ? undefined : id }, { push: true })}
        empty={
          text === "" ? (
            <NoCredentials onNew={mayWrite ? () => onChange({ new: true }, { push: true }) : null} />
          ) : (
            <>
              <p className="p-3.5 text-ink-2">No credential that was read fits “{search.q}”.</p>
              {list.hasMore && <More list={list} />}
            </>
          )
        }
      />
    </Section>
  );
}

/** While one is open at the side there is room for less. */
function useColumns(isCompact: boolean): readonly Column<Credential>[] {
  const now = useNow(10_000).getTime();
  const people = usePeople();
  const me = useMe();
  const columns: readonly Column<Credential>[] = [
    {
      title: "Name",
      grow: true,
      cell: ({ name, kind }) => (
        <>
          {name} {kind === "personal" && <Badge>personal</Badge>}
        </>
      ),
    },
    {
      title: "State",
      cell: (credential) => {
        const { kind, text } = stateOf(credential, ownerLeft(credential.created_by, people), now);
        return <State kind={kind}>{text}</State>;
      },
    },
    {
      title: "Reaches",
      cell: ({ project_id }) =>
        project_id === null ? "Organization" : (me?.projects.find(({ id }) => id === project_id)?.slug ?? "a project"),
    },
    {
      title: "Permissions",
      number: true,
      cell: ({ scopes, effective_scopes: effective }) => (
        <span title={scopes.join(" ")}>
          {effective.length === scopes.length ? scopes.length : `${effective.length} of ${scopes.length}`}
        </span>
      ),
    },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "From", cell: ({ last_used_ip }) => <code>{last_used_ip ?? ""}</code> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
    { title: "Owner", cell: ({ created_by }) => <Owner id={created_by} /> },
  ];
  return isCompact ? columns.filter(({ title }) => COMPACT.has(title)) : columns;
}

function NoCredentials({ onNew }: { onNew: (() => void) | null }): ReactNode {
  return (
    <Empty
      title="No credentials yet"
      action={
        onNew !== null && (
          <Button look="main" onClick={onNew}>
            New credential
          </Button>
        )
      }
    >
      <p>A program takes its tokens with a credential: a client id, and a secret that is shown once.</p>
      <CopyBlock text="npx mooring credential create --name shipper --scope telemetry:write --save shipper.json" />
    </Empty>
  );
}
