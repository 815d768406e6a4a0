import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayHere } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useOrganization } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { EventInspector } from "./event-inspector.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { fits, queryOf, sqlOf, type Filters, type WebhookEvent } from "./filters.ts";
import { useLiveEvents, type LiveState } from "./live.ts";
import { NoEvents } from "./no-events.tsx";
import { Verified } from "./verified.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
type Search = Filters & { event?: string | undefined; paused?: boolean | undefined; view?: string | undefined };

/** The most live events in memory. The list reads older ones. */
const FRESH_MAX = 500;

/** Lists a webhook's stored and live events. */
export function EventsTab({ webhook }: { webhook: Webhook }): ReactNode {
  const [search, change] = useSearchState<Search>();
  const { event: openId, paused: isPaused = false, view = "pretty", ...address } = search;
  const filters = onlyFilters(address);
  const events = useEvents(webhook.id, filters, isPaused);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <h2 className="sr-only">Events</h2>
      <FilterBar filters={filters} onChange={(part) => change(part)} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <LiveStatus state={events.state} fresh={events.fresh} />
        <Button onClick={() => change({ paused: isPaused ? undefined : true })}>{isPaused ? "Resume" : "Pause"}</Button>
        <span className="ml-auto">
          <SqlLink webhookId={webhook.id} filters={filters} />
        </span>
      </div>
      <ErrorNote error={events.error} />
      <div className={events.list.items.length === 0 ? "" : "flex h-[max(420px,calc(100dvh-290px))] min-w-0"}>
        <WithInspector
          inspector={
            openId !== undefined && (
              <EventInspector
                key={openId}
                webhook={webhook}
                eventId={openId}
                view={view}
                onView={(next) => change({ view: next === "pretty" ? undefined : next })}
                onFilter={(part) => change(part)}
                onClose={() => change({ event: undefined })}
              />
            )
          }
        >
          <div className="min-h-0 overflow-auto rounded border border-line bg-sheet">
            <ListTable
              label="Events"
              list={events.list}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              openKey={openId}
              onOpen={({ id }) => change({ event: id === openId ? undefined : id })}
              empty={
                isFiltered ? (
                  <NoneFits list={events.list} onClear={() => change(CLEARED)} />
                ) : (
                  <NoEvents webhook={webhook} />
                )
              }
            />
          </div>
        </WithInspector>
      </div>
    </>
  );
}

const CLEARED: Filters = {
  from: undefined,
  to: undefined,
  type: undefined,
  header: undefined,
  pointer: undefined,
  q: undefined,
  verified: undefined,
};

/** Returns the filters in an address. The router may have parsed some values as numbers. */
function onlyFilters(search: object): Filters {
  const entries = Object.entries(search) as [string, string | number | undefined][];
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      name in CLEARED && value !== undefined && value !== "" ? [[name, String(value)]] : [],
    ),
  );
}

function useEvents(webhookId: string, filters: Filters, isPaused: boolean) {
  const { slug } = useOrganization();
  const queries = useQueryClient();
  const [fresh, setFresh] = useState<readonly WebhookEvent[]>([]);
  const list = useList(WEBHOOK_ROUTES.listWebhookEvents, {
    params: { webhook_id: webhookId },
    query: queryOf(filters),
  });
  const onEvents = useCallback((events: readonly WebhookEvent[]) => {
    setFresh((before) => [...events.toReversed(), ...before].slice(0, FRESH_MAX));
  }, []);
  const onOpen = useCallback(
    () => void queries.invalidateQueries({ queryKey: [slug, WEBHOOK_ROUTES.listWebhookEvents.operationId] }),
    [queries, slug],
  );
  const live = useLiveEvents(webhookId, { isPaused, onEvents, onOpen });
  const items = useMemo(() => {
    const listed = new Set(list.items.map(({ id }) => id));
    const came = fresh.filter((event) => !listed.has(event.id) && fits(event, filters));
    return [...came, ...list.items];
  }, [fresh, list.items, filters]);
  return { list: { ...list, items }, fresh: fresh.length, ...live };
}

const COLUMNS: readonly Column<WebhookEvent>[] = [
  { title: "Received", cell: ({ received_at }) => <Time at={received_at} /> },
  { title: "Type", cell: ({ type }) => <span className="mono">{type === null ? "—" : visibleText(type)}</span> },
  { title: "Verified", cell: ({ verified }) => <Verified as={verified} /> },
  { title: "From", cell: ({ ip }) => <span className="mono">{ip}</span> },
  { title: "Size", number: true, cell: ({ size_bytes }) => bytesText(size_bytes) },
  { title: "Again", number: true, cell: ({ duplicates }) => (duplicates === 0 ? "" : `×${countText(duplicates)}`) },
  {
    title: "Body",
    grow: true,
    cell: ({ body }) => (
      <span className="mono text-ink-2">
        {body === null ? "not shown in the list" : visibleText(body.slice(0, 200))}
      </span>
    ),
  },
];

const LIVE: Readonly<Record<LiveState, readonly ["go" | "warn" | "stop" | "none", string]>> = {
  connecting: ["none", "Connecting"],
  live: ["go", "Live"],
  again: ["warn", "Connecting again"],
  paused: ["none", "Paused"],
  refused: ["stop", "Not live"],
};

function LiveStatus({ state, fresh }: { state: LiveState; fresh: number }): ReactNode {
  const [kind, text] = LIVE[state];
  return (
    <span role="status" className="inline-flex gap-2">
      <State kind={kind}>{text}</State>
      {fresh > 0 && <span className="text-ink-2">{plural(fresh, "event")} since the page was opened</span>}
    </span>
  );
}

function SqlLink({ webhookId, filters }: { webhookId: string; filters: Filters }): ReactNode {
  const mayQuery = useMayHere("telemetry:read");
  if (!mayQuery) return null;
  return (
    <PageLink page="sql" search={{ sql: sqlOf(webhookId, filters) }}>
      The same as SQL
    </PageLink>
  );
}

function NoneFits({
  list,
  onClear,
}: {
  list: { hasMore: boolean; loadMore: () => void };
  onClear: () => void;
}): ReactNode {
  return (
    <Empty title="No event matches" action={<Button onClick={onClear}>Clear the filters</Button>}>
      {list.hasMore ? (
        <p>
          None of the searched events matches. <Button onClick={list.loadMore}>Look further back</Button>
        </p>
      ) : (
        <p>No stored event matches. New ones that match appear here.</p>
      )}
    </Empty>
  );
}
