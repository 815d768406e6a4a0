import { useState, type FormEvent, type ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { useSql } from "~/kit/chart-query.ts";
import { RangeControls, useChartRange, useWaiting } from "~/kit/chart-range.tsx";
import { numberOf } from "~/kit/chart-rows.ts";
import { withValues } from "~/kit/chart-sql.ts";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { countText, durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Page as Frame, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { DurationCharts } from "./duration-charts.tsx";
import { EmptyTraces } from "./empty-traces.tsx";
import { TraceFilters } from "./trace-filters.tsx";
import { filterOf, type TracesSearch } from "./trace-search.ts";
import { listStatement, summaryOf, type TraceSummary } from "./trace-sql.ts";

const PAGE = 100;
const SHOWN_MAX = 1000;

/** Lists the traces of a range, with filters. */
export function TraceList(): ReactNode {
  const [search, setSearch] = useSearchState<TracesSearch>();
  const range = useChartRange();
  const projectId = useProject()?.id ?? null;
  const [shownMax, setShownMax] = useState(PAGE);
  const filter = filterOf(search, projectId);
  const statement = listStatement(filter);
  const { data, rows, error, isPending, isFetching } = useSql({ ...statement, ...range.bounds, limit: shownMax });
  const items = rows.map(summaryOf);
  useWaiting(range, data !== undefined && items.length === 0 && !isFiltered(search));
  const total = rows[0] === undefined ? 0 : numberOf(rows[0], "total");
  const longestMs = items.reduce((most, { lastedMs }) => Math.max(most, lastedMs), 0);
  return (
    <Frame
      title="Traces"
      about="Each trace is one request, through all its services."
      actions={<RangeControls of={range} />}
    >
      <DurationCharts filter={filter} range={range} />
      <Section
        title="Requests"
        about={data === undefined ? "" : `${countText(items.length)} of ${countText(total)} shown`}
        actions={
          <>
            <OpenById onOpen={(trace) => setSearch({ trace }, { push: true })} />
            <PageLink
              page="sql"
              search={{ sql: withValues(statement.sql, statement.parameters), ...range.bounds }}
              className="self-center text-sea hover:underline"
            >
              Open in SQL
            </PageLink>
          </>
        }
        flush
      >
        <TraceFilters bounds={range.bounds} />
        <ListTable<TraceSummary>
          label="Traces"
          keyOf={({ traceId }) => traceId}
          onOpen={({ traceId }) => setSearch({ trace: traceId }, { push: true })}
          empty={<EmptyTraces isFiltered={isFiltered(search)} />}
          list={{
            items,
            error,
            isPending,
            hasMore: items.length < Math.min(total, SHOWN_MAX),
            isLoadingMore: isFetching,
            loadMore: () => setShownMax((shown) => Math.min(SHOWN_MAX, shown + PAGE)),
          }}
          columns={columnsOf(longestMs)}
        />
        {items.length === SHOWN_MAX && total > SHOWN_MAX && (
          <p className="border-t border-line p-2.5 text-ink-2">
            The first {countText(SHOWN_MAX)} are shown. To see the others, change the time range or the filters.
          </p>
        )}
      </Section>
    </Frame>
  );
}

function columnsOf(longestMs: number): readonly Column<TraceSummary>[] {
  return [
    { title: "Request", grow: true, cell: ({ root }) => visibleText(root) },
    { title: "Service", cell: ({ service }) => visibleText(service) },
    { title: "Began", cell: ({ started }) => <Time at={started} /> },
    { title: "Lasted", number: true, cell: ({ lastedMs }) => durationText(lastedMs) },
    { title: "Compared", cell: ({ lastedMs }) => <InlineBar share={longestMs === 0 ? 0 : lastedMs / longestMs} /> },
    { title: "Spans", number: true, cell: ({ spans }) => countText(spans) },
    { title: "Services", number: true, cell: ({ services }) => countText(services) },
    {
      title: "Errors",
      cell: ({ errors }) => (errors > 0 ? <State kind="stop">{countText(errors)}</State> : "none"),
    },
  ];
}

function isFiltered({ service, name, least, status }: Partial<TracesSearch>): boolean {
  return [service, name, least, status].some((value) => value !== undefined);
}

function OpenById({ onOpen }: { onOpen: (trace: string) => void }): ReactNode {
  const [id, setId] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id.trim() !== "") onOpen(id.trim());
  };
  return (
    <form onSubmit={submit} className="flex gap-2">
      <input
        className="mono h-[30px] w-44 min-w-0 rounded border border-line-2 bg-sheet px-2 text-ink"
        aria-label="Trace id"
        placeholder="trace id"
        value={id}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setId(event.target.value)}
      />
      <Button type="submit" disabled={id.trim() === ""}>
        Open
      </Button>
    </form>
  );
}
