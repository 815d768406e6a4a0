import type { ReactNode } from "react";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { useSql } from "~/kit/chart-query.ts";
import { RangeControls, useChartRange, useWaiting } from "~/kit/chart-range.tsx";
import { numberOf, textOf, type SqlRow } from "~/kit/chart-rows.ts";
import { ChartGroup } from "~/kit/chart/group.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading, Page as Frame, Section } from "~/kit/page.tsx";
import { EmptyMetrics } from "./empty-metrics.tsx";
import { MetricList, type Metric } from "./metric-list.tsx";
import { listSql } from "~/kit/plots/metric-sql.ts";
import { PlotCard } from "./plot-card.tsx";
import { firstPlot, kindOf, plotsOf, plotText, type Plot } from "~/kit/plots/plots.ts";

type MetricsSearch = { plot?: readonly string[] | undefined; find?: string | undefined };

/** Each plot needs a query, and an organization may run only a few at a time. */
const PLOTS_MAX = 12;

/** Metrics over time. All plots have the same range, and all are in the address. */
export function Page(): ReactNode {
  const [search, setSearch] = useSearchState<MetricsSearch>();
  const range = useChartRange();
  const projectId = useProject()?.id ?? null;
  const { data, rows, error } = useSql({
    sql: listSql(projectId),
    ...(projectId === null ? {} : { parameters: { project: projectId } }),
    ...range.bounds,
  });
  const metrics = rows.map(metricOf);
  const plots = plotsOf(search.plot ?? []).slice(0, PLOTS_MAX);
  const setPlots = (next: readonly Plot[]): void =>
    setSearch({ plot: next.length === 0 ? undefined : next.map(plotText) }, { push: true });
  const toggle = ({ name, kind }: Metric): void =>
    setPlots(
      plots.some((plot) => plot.name === name)
        ? plots.filter((plot) => plot.name !== name)
        : [firstPlot(name, kind), ...plots].slice(0, PLOTS_MAX),
    );
  const replace = (at: number, plot: Plot): void => setPlots(plots.map((each, index) => (index === at ? plot : each)));
  const isEmpty = data !== undefined && rows.length === 0 && plots.length === 0;
  useWaiting(range, isEmpty);
  return (
    <Frame title="Metrics" about="Numbers over time, by name and tag." actions={<RangeControls of={range} />}>
      <ErrorNote error={error} />
      {data === undefined && error === null && <Loading />}
      {isEmpty && (
        <Section title="Names" flush>
          <EmptyMetrics />
        </Section>
      )}
      {data !== undefined && !isEmpty && (
        <div className="grid items-start gap-4 lg:grid-cols-[270px_minmax(0,1fr)]">
          <MetricList
            metrics={metrics}
            total={rows[0] === undefined ? 0 : numberOf(rows[0], "total")}
            shown={new Set(plots.map(({ name }) => name))}
            find={search.find ?? ""}
            onFind={(text) => setSearch({ find: text === "" ? undefined : text })}
            onToggle={toggle}
          />
          <div className="flex min-w-0 flex-col gap-4">
            {plots.length === 0 && <p className="p-3 text-ink-2">Choose a metric to see it over time.</p>}
            <ChartGroup>
              {plots.map((plot, index) => (
                <PlotCard
                  key={`${plot.name} ${index}`}
                  place={index + 1}
                  plot={plot}
                  unitTag={metrics.find(({ name }) => name === plot.name)?.unit ?? ""}
                  range={range}
                  onChange={(next) => replace(index, next)}
                  onRemove={() => setPlots(plots.filter((_, at) => at !== index))}
                />
              ))}
            </ChartGroup>
          </div>
        </div>
      )}
    </Frame>
  );
}

function metricOf(row: SqlRow): Metric {
  const name = textOf(row, "name");
  return {
    name,
    points: numberOf(row, "points"),
    newest: textOf(row, "newest"),
    unit: textOf(row, "unit"),
    kind: kindOf(name, row["is_delta"] === true),
  };
}
