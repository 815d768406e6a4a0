import { useState, type ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { IconButton } from "~/kit/button.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { stepFor, stepText } from "~/kit/chart/model.ts";
import { useSql } from "~/kit/chart-query.ts";
import { drawnRange, type ChartRange } from "~/kit/chart-range.tsx";
import { textOf } from "~/kit/chart-rows.ts";
import { useCoarseWidth } from "~/kit/chart-width.ts";
import { Select } from "~/kit/field.tsx";
import { durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { LINES_MAX, tagsSql } from "~/kit/plots/metric-sql.ts";
import { usePlotData } from "~/kit/plots/plot-data.ts";
import { AGGREGATION_TITLES, AGGREGATIONS, plotText, unitOf, type Plot } from "~/kit/plots/plots.ts";

interface PlotCardProps {
  /** Its position on the page, from 1. It distinguishes equal plots. */
  place: number;
  plot: Plot;
  /** The value of the metric's tag `unit`, or an empty text. */
  unitTag: string;
  range: ChartRange;
  onChange: (plot: Plot) => void;
  onRemove: () => void;
}

/** Shows one metric over time. Selecting with the mouse changes the range of the whole page. */
export function PlotCard({ place, plot, unitTag, range, onChange, onRemove }: PlotCardProps): ReactNode {
  const [element, widthPx] = useCoarseWidth<HTMLElement>();
  const stepS = widthPx === 0 ? 0 : stepFor(range.toS - range.fromS, widthPx);
  const { data, error, isFetching, lines, stepS: shownStepS, elapsedMs, sql } = usePlotData(plot, range, stepS);
  const title = visibleText(plot.name);
  return (
    <section
      ref={element}
      aria-label={`Plot ${place}: ${visibleText(plotText(plot))}`}
      className="min-w-0 rounded border border-line bg-sheet"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-1.5">
        <h2 className="mono min-w-0 [overflow-wrap:anywhere]">{title}</h2>
        <PlotControls plot={plot} range={range} onChange={onChange} />
        <span className="ml-auto flex items-center gap-2">
          <PageLink page="sql" search={{ sql, from: range.bounds.from, to: range.bounds.to }}>
            Open in SQL
          </PageLink>
          <IconButton label={`Remove the plot of ${title}`} onClick={onRemove}>
            ✕
          </IconButton>
        </span>
      </header>
      <div className="flex flex-col gap-2 p-3.5">
        <Chart
          label={visibleText(plotText(plot))}
          data={data === undefined ? undefined : named(data, plot)}
          unit={unitOf(plot, unitTag)}
          range={[range.fromS, range.toS]}
          onRange={(fromS, toS) => range.setRange(drawnRange(fromS, toS))}
          isFetching={isFetching}
          error={error}
          onRetry={range.refresh}
          empty="This metric has no points in the range"
        />
        {elapsedMs !== undefined && (
          <p className="text-s text-ink-3">
            one value each {stepText(shownStepS)}
            {plot.by !== null && lines > LINES_MAX && `, ${LINES_MAX} of ${lines} lines shown separately`}, queried in{" "}
            {durationText(elapsedMs)}
          </p>
        )}
      </div>
    </section>
  );
}

/** Names the single line of an unsplit plot after the metric. */
function named(data: NonNullable<ReturnType<typeof usePlotData>["data"]>, plot: Plot): typeof data {
  if (plot.by !== null) return data;
  return { ...data, series: data.series.map((series) => ({ ...series, label: plotText(plot) })) };
}

function PlotControls({
  plot,
  range,
  onChange,
}: {
  plot: Plot;
  range: ChartRange;
  onChange: (plot: Plot) => void;
}): ReactNode {
  const projectId = useProject()?.id ?? null;
  // The tags are loaded only when the person opens the choice. A page may have many plots, and an organization may run
  // only a few queries at a time.
  const [isAsked, setIsAsked] = useState(false);
  const { rows } = useSql(
    {
      sql: tagsSql(projectId),
      parameters: { name: plot.name, ...(projectId === null ? {} : { project: projectId }) },
      ...range.bounds,
    },
    { enabled: isAsked },
  );
  const known = rows.map((row) => textOf(row, "tag")).filter((tag) => tag !== "le");
  const tags = plot.by === null || known.includes(plot.by) ? known : [plot.by, ...known];
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="w-40">
        <Select
          aria-label="Aggregation"
          value={plot.aggregation}
          onChange={(event) => {
            const aggregation = AGGREGATIONS.find((each) => each === event.target.value);
            if (aggregation !== undefined) onChange({ ...plot, aggregation });
          }}
        >
          {AGGREGATIONS.map((each) => (
            <option key={each} value={each}>
              {AGGREGATION_TITLES[each]}
            </option>
          ))}
        </Select>
      </span>
      <span className="w-44">
        <Select
          aria-label="One line for each value of the tag"
          onFocus={() => setIsAsked(true)}
          onPointerEnter={() => setIsAsked(true)}
          value={plot.by ?? ""}
          onChange={(event) => onChange({ ...plot, by: event.target.value === "" ? null : event.target.value })}
        >
          <option value="">one line</option>
          {tags.map((tag) => (
            <option key={tag} value={tag}>
              by {visibleText(tag)}
            </option>
          ))}
        </Select>
      </span>
    </span>
  );
}
