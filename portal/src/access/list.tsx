import type { ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { useMe } from "~/app/scope.ts";
import { Checkbox } from "~/kit/field.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import type { AccessItem, AccessKind } from "./kind.ts";
import { ResponsibleOne } from "./owner.tsx";
import { stateOf } from "./state.ts";

export interface ListSearch {
  readonly q: string | undefined;
  readonly revoked: boolean | undefined;
}

interface ListProps<T extends AccessItem> {
  kind: AccessKind<T>;
  list: ItemList<T>;
  search: Partial<ListSearch>;
  onSearch: (part: Partial<ListSearch>) => void;
  openId: string | undefined;
  onOpen: (item: T) => void;
  /** Shown when there are no items. */
  empty: ReactNode;
}

/** Shows all items as rows. The search filters the rows that are loaded. */
export function AccessList<T extends AccessItem>(props: ListProps<T>): ReactNode {
  const { kind, list, search, onSearch, openId } = props;
  const columns = useColumns(kind, openId !== undefined);
  const text = (search.q ?? "").toLowerCase();
  const found = list.items.filter((item) => kind.searchTextOf(item).toLowerCase().includes(text));
  return (
    <Section flush>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-2.5">
        <SearchField
          label={`Find by name or ${kind.identifierName}`}
          value={search.q}
          onChange={(q) => onSearch({ q })}
        />
        <Checkbox
          label="Show revoked"
          checked={search.revoked === true}
          onChange={({ target }) => onSearch({ revoked: target.checked ? true : undefined })}
        />
        <span className="ml-auto text-ink-2" role="status">
          {text !== "" && `${found.length} of `}
          {list.items.length}
          {list.hasMore && " loaded"}
        </span>
      </div>
      <ListTable
        label={`${kind.noun.charAt(0).toUpperCase()}${kind.noun.slice(1)}s, newest first`}
        list={{ ...list, items: found }}
        columns={columns}
        keyOf={({ id }) => id}
        openKey={openId}
        onOpen={props.onOpen}
        empty={text === "" ? props.empty : <NothingFound kind={kind} list={list} text={text} />}
      />
    </Section>
  );
}

function NothingFound<T extends AccessItem>({
  kind,
  list,
  text,
}: Pick<ListProps<T>, "kind" | "list"> & { text: string }): ReactNode {
  return (
    <>
      <p className="p-3.5 text-ink-2">
        None of the {list.items.length} loaded {kind.noun}s matches “{text}”.
      </p>
      {list.hasMore && <More list={list} />}
    </>
  );
}

const COMPACT: ReadonlySet<string> = new Set(["Name", "State", "Last used", "Expires"]);

/** Returns fewer columns while the inspector is open. */
function useColumns<T extends AccessItem>(kind: AccessKind<T>, isCompact: boolean): readonly Column<T>[] {
  const now = useNow(10_000).getTime();
  const me = useMe();
  const columns: readonly Column<T>[] = [
    { title: "Name", grow: true, cell: (item) => <NameCell item={item} /> },
    {
      title: "State",
      cell: (item) => {
        const state = stateOf(item, now);
        return (
          <span title={item.state_reason ?? undefined}>
            <State kind={state.kind}>{state.text}</State>
          </span>
        );
      },
    },
    {
      title: "Project",
      cell: ({ project_id }) =>
        project_id === null ? "Organization" : (me?.projects.find(({ id }) => id === project_id)?.slug ?? "a project"),
    },
    ...kind.columns,
    { title: "Permissions", cell: (item) => <PermissionsCell item={item} /> },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
    { title: "Responsible", cell: ({ responsible }) => <ResponsibleOne of={responsible} /> },
  ];
  return isCompact ? columns.filter(({ title }) => COMPACT.has(title)) : columns;
}

function NameCell({ item }: { item: AccessItem & { readonly kind?: string } }): ReactNode {
  return (
    <>
      <ForeignText text={item.name} /> {item.kind === "personal" && <Badge>personal</Badge>}
    </>
  );
}

const SHOWN_SCOPES_MAX = 2;

function PermissionsCell({ item: { scopes, effective_scopes: effective } }: { item: AccessItem }): ReactNode {
  const count = effective.length === scopes.length ? String(scopes.length) : `${effective.length} of ${scopes.length}`;
  const isShort = effective.length > 0 && effective.length === scopes.length && scopes.length <= SHOWN_SCOPES_MAX;
  return <span title={scopes.join(" ")}>{isShort ? <code>{scopes.join(" ")}</code> : count}</span>;
}
