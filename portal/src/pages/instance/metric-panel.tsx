import { useMemo, type ReactNode } from "react";
import { drawnRange, type ChartRange } from "~/kit/chart-range.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { stepFor, summaryOf, type ChartData } from "~/kit/chart/model.ts";
import { valueText } from "~/kit/chart/units.ts";
import { usePlotData } from "~/kit/plots/plot-data.ts";
import type { Plot } from "~/kit/plots/plots.ts";
import { joined, type Panel } from "./metric-panels.ts";

const HEIGHT_PX = 132;
/** The width of a chart on most screens. It decides how many values are read, the same for figures and charts. */
const WIDTH_PX = 600;

/** One chart of the server's metrics, with its last value as a figure. */
export function MetricPanel({ panel, range }: { panel: Panel; range: ChartRange }): ReactNode {
  const { data, error, isFetching } = usePanelData(panel, range);
  return (
    <section aria-label={panel.title} className="min-w-0 rounded border border-line bg-sheet">
      <header className="flex h-[38px] items-center gap-2 px-3.5">
        <h2 className="text-m font-semibold whitespace-nowrap">{panel.title}</h2>
        <span className="truncate text-s text-ink-3">{panel.about}</span>
        <span className="ml-auto text-s whitespace-nowrap text-ink-2">
          {data !== undefined && nowText(data, panel)}
        </span>
      </header>
      <div className="min-w-0 px-3.5 pb-2">
        <Chart
          label={`${panel.title} ${panel.about}`}
          data={data}
          unit={panel.unit}
          heightPx={HEIGHT_PX}
          range={[range.fromS, range.toS]}
          onRange={(fromS, toS) => range.setRange(drawnRange(fromS, toS))}
          isFetching={isFetching}
          error={error}
          onRetry={range.refresh}
          empty="The server wrote no such metric in this range"
          {...(panel.mark === undefined ? {} : { mark: panel.mark })}
        />
      </div>
    </section>
  );
}

/** The last value of a chart with one line. */
function nowText({ series }: ChartData, { unit }: Panel): string {
  const [only, more] = series;
  return only === undefined || more !== undefined ? "" : `now ${valueText(summaryOf(only.values).last, unit)}`;
}

interface PanelData {
  readonly data: ChartData | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
}

const NONE: Plot = { name: "", aggregation: "avg", by: null };

/** Reads the plots of a panel. Quantiles of one metric are one query, because their statements are equal. */
export function usePanelData({ plots, shape }: Panel, range: ChartRange): PanelData {
  const stepS = stepFor(range.toS - range.fromS, WIDTH_PX);
  const [first, second, third] = plots.map(([, plot]) => plot);
  // Hooks need a fixed number: a missing plot has no step, so it sends no query.
  const reads = [
    usePlotData(first ?? NONE, range, first === undefined ? 0 : stepS),
    usePlotData(second ?? NONE, range, second === undefined ? 0 : stepS),
    usePlotData(third ?? NONE, range, third === undefined ? 0 : stepS),
  ].slice(0, plots.length);
  const [a, b, c] = reads.map(({ data }) => data);
  const data = useMemo(() => {
    const parts = [a, b, c].slice(0, plots.length).flatMap((part, index) => {
      const [name, plot] = plots[index] ?? ["", NONE];
      if (part === undefined) return [];
      return [plot.by === null ? { ...part, series: part.series.map((each) => ({ ...each, label: name })) } : part];
    });
    if (parts.length < plots.length) return undefined;
    const all = joined(parts);
    return shape === undefined ? all : shape(all);
  }, [a, b, c, plots, shape]);
  return {
    data,
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    isFetching: reads.some(({ isFetching }) => isFetching),
  };
}
