import type { ReactNode } from "react";
import { visibleText } from "../foreign.ts";
import { Table } from "../table.tsx";
import { shortText } from "../time-range.ts";
import { axisTitle, type ChartAxis } from "./axis.ts";
import type { ChartData, ChartUnit } from "./model.ts";
import { valueText } from "./units.ts";

const ROWS_MAX = 500;

interface DataTableProps {
  label: string;
  data: ChartData;
  unit: ChartUnit;
  axis: ChartAxis;
  heightPx: number;
}

/** Shows the data of a chart as a table, the newest time first. It has at least the height of the chart. */
export function DataTable({ label, data, unit, axis, heightPx }: DataTableProps): ReactNode {
  const places = data.times.map((at, index) => ({ at, index }));
  const rows = axis.kind === "time" ? places.toReversed() : places;
  return (
    <div className="overflow-auto" style={{ height: Math.max(heightPx + 28, 120) }}>
      <Table
        label={`${label}, as a table`}
        items={rows.slice(0, ROWS_MAX)}
        keyOf={({ at }) => String(at)}
        columns={[
          {
            title: axis.kind === "time" ? "Time (UTC)" : "Values",
            cell: ({ at }) => (
              <span className="mono">
                {axis.kind === "time" ? shortText(new Date(at * 1000).toISOString()) : axisTitle(axis, at, data)}
              </span>
            ),
          },
          ...data.series.map(({ label: name, values }) => ({
            title: visibleText(name),
            number: true,
            cell: ({ index }: { index: number }) => valueText(values[index], unit),
          })),
        ]}
      />
      {rows.length > ROWS_MAX && (
        <p className="p-2 text-ink-2">
          {ROWS_MAX} of {rows.length} rows are shown.
        </p>
      )}
    </div>
  );
}
