import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useRef, type ReactNode } from "react";
import { useList, useRead, type ItemList } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Empty, Loading, Page as Frame } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { EntryInspector } from "./entry-inspector.tsx";
import { summaryOf, type AuditEntry } from "./entry.ts";
import { ExportButton } from "./export-button.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filtersOf, NO_FILTERS, queryOf, sqlOf, type Filters } from "./filters.ts";
import { Action, Result, Target, Who } from "./parts.tsx";
import { Verification } from "./verification.tsx";

type Search = Filters & { entry?: string | undefined; paused?: boolean | undefined; verify?: boolean | undefined };

const REFRESH_MS = 5_000;
/** A longer list is not refreshed automatically, since each refresh would read many pages. */
const LIVE_ROWS_MAX = 200;

/** The audit log. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<Search>();
  const mayQuery = useMayIn(null, "telemetry:read");
  const filters = filtersOf(search);
  const { paused: isPaused = false, entry: openId } = search;
  const rows = useRef(0);
  const isLong = rows.current > LIVE_ROWS_MAX;
  const list = useList(
    ORGANIZATION_ROUTES.listAudit,
    { query: queryOf(filters) },
    { refetchMs: isPaused || isLong ? undefined : REFRESH_MS },
  );
  rows.current = list.items.length;
  const { open, error } = useOpen(openId, list.items);
  const close = (): void => change({ entry: undefined });
  return (
    <Frame
      title="Audit log"
      about="Every change to permissions, credentials, projects and settings, and every refused sign-in. An entry is written in the same transaction as its change."
      actions={
        <>
          {mayQuery && (
            <PageLink page="sql" search={{ sql: sqlOf(filters) }} className="self-center px-2 text-sea hover:underline">
              The same as SQL
            </PageLink>
          )}
          <ExportButton filters={filters} />
        </>
      }
    >
      <Verification isAsked={search.verify === true} onAsk={() => change({ verify: true })} />
      <h2 className="sr-only">Entries</h2>
      <FilterBar filters={filters} onChange={change} />
      <LiveBar
        list={list}
        isPaused={isPaused}
        isLong={isLong}
        onPause={(paused) => change({ paused: paused || undefined })}
      />
      <div className={openId === undefined ? "" : "flex h-[max(420px,calc(100dvh-120px))] min-w-0"}>
        <WithInspector
          inspector={
            openId !== undefined &&
            (open === undefined ? (
              <Inspector title="Entry" onClose={close}>
                {error === null ? <Loading /> : <ErrorNote error={error} />}
              </Inspector>
            ) : (
              <EntryInspector key={open.id} entry={open} onFilter={change} onClose={close} />
            ))
          }
        >
          <div className="min-h-0 overflow-auto rounded border border-line bg-sheet">
            <Entries
              list={list}
              openId={openId}
              onOpen={({ id }) => change({ entry: id === openId ? undefined : id })}
              isFiltered={Object.keys(filters).length > 0}
              onClear={() => change(NO_FILTERS)}
            />
          </div>
        </WithInspector>
      </div>
    </Frame>
  );
}

/** Returns the entry that the address names: from the list if it is loaded there, otherwise read by its id. */
function useOpen(
  id: string | undefined,
  listed: readonly AuditEntry[],
): { open: AuditEntry | undefined; error: Error | null } {
  const known = listed.find((entry) => entry.id === id);
  const enabled = id !== undefined && known === undefined;
  const entry = useRead(ORGANIZATION_ROUTES.getAuditEntry, { params: { entry_id: id ?? "" } }, { enabled });
  const { data, error } = useNamed(entry);
  const read = data?.id === id ? data : undefined;
  return { open: known ?? read, error: read === undefined ? error : null };
}

function LiveBar({
  list,
  isPaused,
  isLong,
  onPause,
}: {
  list: ItemList<AuditEntry>;
  isPaused: boolean;
  isLong: boolean;
  onPause: (paused: boolean) => void;
}): ReactNode {
  const newest = list.items[0]?.seq;
  const first = useRef<number>(undefined);
  if (first.current === undefined && newest !== undefined) first.current = newest;
  const seen = first.current ?? 0;
  const fresh = list.items.filter(({ seq }) => seq > seen).length;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span role="status" className="inline-flex gap-2">
        {isPaused || isLong ? <State kind="none">Paused</State> : <State kind="go">Live</State>}
        {isLong && (
          <span className="text-ink-2">A list of more than {LIVE_ROWS_MAX} is not refreshed automatically.</span>
        )}
        {fresh > 0 && <span className="text-ink-2">{plural(fresh, "entry", "entries")} since the page was opened</span>}
      </span>
      {!isLong && <Button onClick={() => onPause(!isPaused)}>{isPaused ? "Resume" : "Pause"}</Button>}
      <span className="ml-auto text-ink-2">{plural(list.items.length, "entry", "entries")} shown, newest first</span>
    </div>
  );
}

function Entries({
  list,
  openId,
  onOpen,
  isFiltered,
  onClear,
}: {
  list: ItemList<AuditEntry>;
  openId: string | undefined;
  onOpen: (entry: AuditEntry) => void;
  isFiltered: boolean;
  onClear: () => void;
}): ReactNode {
  const nameOf = useNames();
  const columns: readonly Column<AuditEntry>[] = [
    { title: "When", cell: ({ at }) => <Time at={at} /> },
    { title: "Who", cell: (entry) => <Who entry={entry} nameOf={nameOf} /> },
    { title: "What", cell: (entry) => <Action entry={entry} /> },
    {
      title: "On what",
      cell: ({ target }) => <Target of={target} nameOf={nameOf} />,
    },
    { title: "Result", cell: ({ result }) => <Result result={result} /> },
    { title: "Address", cell: ({ ip }) => <span className="mono">{ip ?? "—"}</span> },
    {
      title: "Detail",
      grow: true,
      cell: ({ detail }) => <span className="text-ink-2">{visibleText(summaryOf(detail))}</span>,
    },
    {
      title: "Request",
      cell: ({ request_id }) => <span className="mono text-ink-2">{request_id?.slice(-8) ?? "—"}</span>,
    },
  ];
  return (
    <ListTable
      label="Entries of the audit log"
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      openKey={openId}
      onOpen={onOpen}
      empty={isFiltered ? <NoneFits onClear={onClear} /> : <NoEntries />}
    />
  );
}

function NoneFits({ onClear }: { onClear: () => void }): ReactNode {
  return (
    <Empty title="No entry matches" action={<Button onClick={onClear}>Clear the filters</Button>}>
      <p>An entry must match all filters. An action matches by prefix, the others exactly.</p>
    </Empty>
  );
}

function NoEntries(): ReactNode {
  return (
    <Empty title="No entry yet">
      <p>
        The first change to a credential, a member, a project or a setting will be the first entry. To read the log from
        a terminal:
      </p>
      <CopyBlock
        label="Command that reads the audit log"
        text={`curl -sS "${location.origin}/v1/audit?limit=10" -H "Authorization: Bearer $TOKEN"`}
      />
    </Empty>
  );
}
