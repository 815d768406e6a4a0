import type { ReactNode } from "react";
import { visibleText } from "../foreign.ts";
import "./chart.css";
import { colourOf } from "./colours.ts";
import { restLabel, type ChartSeries, type ChartUnit } from "./model.ts";
import { valueText } from "./units.ts";

export interface BarRow {
  readonly name: string;
  /** One value for each series. */
  readonly values: readonly number[];
}

interface BarListProps {
  label: string;
  rows: readonly BarRow[];
  /** The names of the values; one value needs no name. */
  series?: readonly Pick<ChartSeries, "label" | "level" | "isRest">[];
  unit?: ChartUnit;
  /** The number of rows; the others are one grey row. */
  max?: number;
}

const ONE: NonNullable<BarListProps["series"]> = [{ label: "value" }];

/** Bars by name, the largest first, with the value and its share. It is a table to screen readers. */
export function BarList({ label, rows, series = ONE, unit = "none", max = 12 }: BarListProps): ReactNode {
  const sums = rows
    .map((row) => ({ ...row, sum: row.values.reduce((all, value) => all + Math.max(0, value), 0), isRest: false }))
    .toSorted((a, b) => b.sum - a.sum);
  const total = sums.reduce((all, { sum }) => all + sum, 0);
  const shown = sums.length > max ? [...sums.slice(0, max), restOf(sums.slice(max))] : sums;
  const most = Math.max(0, ...shown.filter(({ isRest }) => !isRest).map(({ sum }) => sum)) || 1;
  const isSplit = series.length > 1;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {isSplit && <SeriesNames series={series} />}
      <table className="w-full border-collapse">
        <caption className="sr-only">{label}</caption>
        <thead className="sr-only">
          <tr>
            {["Name", "Bar", ...series.map((each) => each.label), "Share"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={`${row.name} ${index}`} className="text-s">
              <th
                scope="row"
                className="mono max-w-44 truncate py-[3px] pr-3 text-left font-normal max-sm:max-w-28"
                title={visibleText(row.name)}
              >
                {visibleText(row.name)}
              </th>
              <td className="w-full" aria-hidden="true">
                <span className="flex h-3">
                  {row.values.map((value, at) => (
                    <i
                      key={at}
                      style={{
                        width: `${Math.min(1, Math.max(0, value) / most) * 100}%`,
                        background: row.isRest && !isSplit ? "var(--line-3)" : `var(${colourOf(series[at] ?? {}, at)})`,
                      }}
                    />
                  ))}
                </span>
              </td>
              {row.values.map((value, at) => (
                <td key={at} className="mono pl-3 text-right whitespace-nowrap">
                  {valueText(value, unit)}
                </td>
              ))}
              <td className="mono pl-3 text-right whitespace-nowrap text-ink-3">
                {total === 0 ? "–" : `${((row.sum / total) * 100).toFixed(1)} %`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function restOf(rows: readonly (BarRow & { sum: number })[]): BarRow & { sum: number; isRest: boolean } {
  const values = rows[0]?.values.map((_, at) => rows.reduce((all, row) => all + (row.values[at] ?? 0), 0)) ?? [];
  return { name: restLabel(rows.length), values, sum: rows.reduce((all, { sum }) => all + sum, 0), isRest: true };
}

function SeriesNames({ series }: Required<Pick<BarListProps, "series">>): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-3 text-s text-ink-2">
      {series.map((each, at) => (
        <li key={each.label} className="flex items-center gap-1.5">
          <i className="ch-swatch" data-kind="bar" style={{ background: `var(${colourOf(each, at)})` }} />
          <span className="mono">{visibleText(each.label)}</span>
        </li>
      ))}
    </ul>
  );
}
