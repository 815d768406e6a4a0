import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { Bars, type Bar } from "~/kit/bars.tsx";
import { Select } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { Loading } from "~/kit/page.tsx";
import { shortText } from "~/kit/time-range.ts";
import { chartableOf, drawnOf, type Drawn } from "~/kit/chart-data.ts";
import type { RunState } from "./run-reader.ts";

const LineChart = lazy(async () => ({ default: (await import("~/kit/chart-line.tsx")).LineChart }));

/** Series differ by lightness, and lines also by dashes. State colours are only for states. */
const FILLS = ["fill-sea", "fill-line-2", "fill-ink-3", "fill-sea-2", "fill-ink-2", "fill-line", "fill-focus"];

/** More bars would be thinner than a pixel. */
const BARS_MAX = 400;

/** Shows the result as lines over time or bars over names. */
export function ResultChart({ result }: { result: RunState }): ReactNode {
  const { columns, rows } = result;
  const chartable = useMemo(() => chartableOf(columns), [columns]);
  const [value, setValue] = useState<string | null>(null);
  const [form, setForm] = useState<"line" | "bar" | null>(null);
  const chosen = chartable !== null && value !== null && chartable.values.includes(value) ? value : null;
  const drawn = useMemo(
    () => (chartable === null ? null : drawnOf(rows, chosen === null ? chartable : { ...chartable, values: [chosen] })),
    [rows, chartable, chosen],
  );
  if (chartable === null || drawn === null)
    return <p className="p-5 text-ink-2">A chart needs a column of numbers, and a column of times or names.</p>;
  const isLine = chartable.isTime && (form === "line" || (form === null && drawn.positions.length > 24));
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto p-3.5">
      <div className="flex flex-wrap items-center gap-2 text-ink-2">
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
            value={isLine ? "line" : "bar"}
            onChange={(event) => setForm(event.target.value === "line" ? "line" : "bar")}
          >
            <option value="line">Lines</option>
            <option value="bar">Bars</option>
          </Select>
        )}
        <Legend drawn={drawn} isLine={isLine} />
        {drawn.left > 0 && <span>{plural(drawn.left, "row or series", "rows or series")} left out</span>}
      </div>
      {isLine ? (
        <Suspense fallback={<Loading />}>
          <LineChart drawn={drawn} label={`${chartable.values.join(", ")} over ${chartable.x}`} />
        </Suspense>
      ) : (
        <Bars
          label={`${chartable.values.join(", ")} by ${chartable.x}`}
          series={drawn.series.map(({ name }, index) => ({ name, fill: FILLS[index] ?? "fill-line-2" }))}
          bars={barsOf(drawn)}
          height={220}
          text={numberText}
        />
      )}
    </div>
  );
}

function Legend({ drawn, isLine }: { drawn: Drawn; isLine: boolean }): ReactNode {
  if (drawn.series.length < 2 || isLine) return null;
  return (
    <ul className="flex flex-wrap gap-x-3">
      {drawn.series.map(({ name }, index) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg width="9" height="9" aria-hidden="true">
            <rect width="9" height="9" className={FILLS[index]} />
          </svg>
          <span className="mono">{name}</span>
        </li>
      ))}
    </ul>
  );
}

function barsOf({ positions, series }: Drawn): Bar[] {
  return positions.slice(0, BARS_MAX).map((position, index) => {
    const label = typeof position === "number" ? shortText(new Date(position).toISOString()) : position;
    const short = typeof position === "number" ? label.slice(5) : label;
    return { short, label, values: series.map(({ values }) => values[index] ?? 0) };
  });
}

function numberText(value: number): string {
  return Number.isInteger(value) ? countText(value) : value.toPrecision(4);
}
