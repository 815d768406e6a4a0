import type { MouseEvent, ReactNode } from "react";
import { visibleText } from "../foreign.ts";
import { DEPTHS } from "./depth.ts";
import { hiddenAfter } from "./hidden.ts";
import {
  summaryOf,
  type ChartData,
  type ChartEvent,
  type ChartMark,
  type ChartSeries,
  type ChartUnit,
} from "./model.ts";
import { Swatch } from "./overlay.tsx";
import { hasTotal, isBarred } from "./scales.ts";
import { valueText } from "./units.ts";

interface LegendProps {
  data: ChartData;
  mark: ChartMark;
  unit: ChartUnit;
  slots: ReadonlyMap<string, number>;
  hidden: ReadonlySet<string>;
  onHidden: (hidden: ReadonlySet<string>) => void;
  onEmphasize: (label: string | null) => void;
}

const SHORT = 12;
const ROW_MAX = 4;
const STATES_MAX = 7;

/** The names of the series: a few short ones in a row with one value, more as a table. */
export function Legend(props: LegendProps): ReactNode {
  const { data, mark, unit } = props;
  if (mark === "heat") return <HeatLegend data={data} unit={unit} />;
  const { series } = data;
  const isShort = series.every(({ label }) => label.length <= SHORT);
  const isRow = series.length <= 1 || (isShort && series.length <= (isBarred(mark) ? STATES_MAX : ROW_MAX));
  return isRow ? <LegendRow {...props} /> : <LegendTables {...props} />;
}

/** The signs of events in the lane. */
export function EventLegend({ events }: { events: readonly ChartEvent[] }): ReactNode {
  const has = (kind: ChartEvent["kind"]): boolean => events.some((event) => event.kind === kind);
  return (
    <>
      {has("deploy") && (
        <span className="ch-name">
          <svg width="12" height="14" viewBox="0 0 12 14" fill="none" stroke="currentColor" aria-hidden="true">
            <path d="M2 14V1M2 2l8 2.8L2 7.6" />
          </svg>
          deploy
        </span>
      )}
      {has("alert") && (
        <span className="ch-name">
          <i className="ch-swatch h-[5px]!" style={{ background: "var(--lv-error)" }} />
          alert firing
        </span>
      )}
    </>
  );
}

function LegendRow({ data, mark, unit, ...of }: LegendProps): ReactNode {
  return data.series.map((series) => {
    const { last, sum } = summaryOf(series.values);
    return (
      <LegendButton key={series.label} series={series} mark={mark} data={data} {...of}>
        <b>{valueText(hasTotal(mark, unit) ? sum : last, unit)}</b>
      </LegendButton>
    );
  });
}

const TABLE_ROWS = 4;

function LegendTables(props: LegendProps): ReactNode {
  const { data, mark, unit } = props;
  const columns = hasTotal(mark, unit) ? (["Sum", "Max"] as const) : (["Last", "Min", "Max"] as const);
  const parts =
    data.series.length <= TABLE_ROWS + 1
      ? [data.series]
      : [data.series.slice(0, Math.ceil(data.series.length / 2)), data.series.slice(Math.ceil(data.series.length / 2))];
  return (
    <div className="ch-legend-tables">
      {parts.map((part, index) => (
        <table key={index}>
          <thead>
            <tr>
              <th scope="col">
                <span className="sr-only">Name</span>
              </th>
              {columns.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {part.map((series) => {
              const { last, min, max, sum } = summaryOf(series.values);
              const values = { Last: last, Min: min, Max: max, Sum: sum };
              return (
                <tr key={series.label}>
                  <th scope="row">
                    <LegendButton series={series} {...props} />
                  </th>
                  {columns.map((title) => (
                    <td key={title}>{valueText(values[title], unit)}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      ))}
    </div>
  );
}

/** A click shows this series alone, or all again; with Shift it hides this one. */
function LegendButton({
  series,
  data,
  mark,
  slots,
  hidden,
  onHidden,
  onEmphasize,
  children,
}: Omit<LegendProps, "unit"> & { series: ChartSeries; children?: ReactNode }): ReactNode {
  const { label } = series;
  const name = visibleText(label);
  return (
    <button
      type="button"
      className="ch-name"
      aria-pressed={!hidden.has(label)}
      title={`Show only ${name}; with Shift, hide it`}
      onClick={(event: MouseEvent) => onHidden(hiddenAfter(data.series, hidden, label, event.shiftKey))}
      onMouseEnter={() => onEmphasize(label)}
      onMouseLeave={() => onEmphasize(null)}
      onFocus={() => onEmphasize(label)}
      onBlur={() => onEmphasize(null)}
    >
      <Swatch series={series} slot={slots.get(label) ?? 0} isBar={isBarred(mark)} />
      <span>{name}</span>
      {children}
    </button>
  );
}

function HeatLegend({ data, unit }: Pick<LegendProps, "data" | "unit">): ReactNode {
  const most = data.series.reduce((max, { values }) => Math.max(max, summaryOf(values).max ?? 0), 0);
  if (most === 0) return null;
  return (
    <span className="inline-flex items-center gap-0.5">
      1
      {Array.from({ length: DEPTHS }, (_, index) => (
        <i key={index} className="block h-[9px] w-4" style={{ background: `var(--d${index + 1})` }} />
      ))}
      {valueText(most, unit)}
    </span>
  );
}
