import { useMemo, useState, type ReactNode } from "react";
import { BarList } from "~/kit/chart/bar-list.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { limitSeries, type ChartData, type ChartMark, type ChartSeries } from "~/kit/chart/model.ts";
import { chartableOf, drawnOf, type Chartable, type Drawn } from "~/kit/chart/result-data.ts";
import { Select } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import type { RunState } from "./run-reader.ts";

/** Fewer points are easier to compare as bars. */
const BARS_MAX = 24;
const HEIGHT_PX = 240;

const FORMS: readonly (readonly [ChartMark, string])[] = [
  ["line", "Lines"],
  ["stack", "Stacked bars"],
];

/** Shows the result as lines or bars over time, or as bars by name. */
export function ResultChart({ result }: { result: RunState }): ReactNode {
  const { columns, rows } = result;
  const chartable = useMemo(() => chartableOf(columns), [columns]);
  const [value, setValue] = useState<string | null>(null);
  const [form, setForm] = useState<ChartMark | null>(null);
  const chosen = chartable !== null && value !== null && chartable.values.includes(value) ? value : null;
  const drawn = useMemo(
    () => (chartable === null ? null : drawnOf(rows, chosen === null ? chartable : { ...chartable, values: [chosen] })),
    [rows, chartable, chosen],
  );
  if (chartable === null || drawn === null)
    return <p className="p-5 text-ink-2">A chart needs a column of numbers, and a column of times or names.</p>;
  const mark = form ?? (drawn.positions.length > BARS_MAX ? "line" : "stack");
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto p-3.5">
      <div className="flex flex-wrap items-center gap-2 text-ink-2 empty:hidden">
        {chartable.values.length > 1 && (
          <Select
            aria-label="Which numbers"
            className="max-w-44"
            value={chosen ?? ""}
            onChange={(event) => setValue(event.target.value === "" ? null : event.target.value)}
          >
            <option value="">All numbers</option>
            {chartable.values.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
        {chartable.isTime && (
          <Select
            aria-label="Form"
            className="max-w-44"
            value={mark}
            onChange={(event) => setForm(FORMS.find(([id]) => id === event.target.value)?.[0] ?? null)}
          >
            {FORMS.map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </Select>
        )}
        {drawn.left > 0 && <span>{plural(drawn.left, "row")} left out</span>}
      </div>
      <Drawing chartable={chartable} drawn={drawn} mark={mark} />
    </div>
  );
}

function Drawing({ chartable, drawn, mark }: { chartable: Chartable; drawn: Drawn; mark: ChartMark }): ReactNode {
  const names = chartable.values.join(", ");
  if (chartable.isTime)
    return (
      <Chart
        label={`${names} over ${chartable.x}`}
        mark={mark}
        data={overTime(drawn)}
        heightPx={HEIGHT_PX}
        empty="The result has no rows"
      />
    );
  const { series } = limitSeries({
    times: drawn.positions.map((_, index) => index),
    series: drawn.series.map(labelled),
  });
  const rows = drawn.positions.map((position, index) => ({
    name: String(position),
    values: series.map(({ values }) => values[index] ?? 0),
  }));
  return <BarList label={`${names} by ${chartable.x}`} rows={rows} series={series} />;
}

function overTime({ positions, series }: Drawn): ChartData {
  return {
    times: positions.map((position) => Number(position) / 1000),
    series: series.map(labelled),
  };
}

function labelled({ name, values }: Drawn["series"][number]): ChartSeries {
  return { label: name, values };
}
