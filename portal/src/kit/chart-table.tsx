import type { ReactNode } from "react";
import { timeText, valueText, type ChartData, type ChartUnit } from "./chart-model.ts";
import { visibleText } from "./foreign.ts";
import { Table } from "./table.tsx";

const ROWS_MAX = 500;

/** Shows the data of a chart as a table, newest first. */
export function ChartTable({ label, data, unit }: { label: string; data: ChartData; unit: ChartUnit }): ReactNode {
  const rows = data.times.map((atS, index) => ({ atS, index })).toReversed();
  const shown = rows.slice(0, ROWS_MAX);
  return (
    <div className="max-h-72 overflow-auto">
      <Table
        label={`${label}, as a table`}
        items={shown}
        keyOf={({ atS }) => String(atS)}
        columns={[
          { title: "Time (UTC)", cell: ({ atS }) => <span className="mono">{timeText(atS, true)}</span> },
          ...data.series.map((series) => ({
            title: visibleText(series.label),
            number: true,
            cell: ({ index }: { index: number }) => valueText(series.values[index], unit),
          })),
        ]}
      />
      {rows.length > ROWS_MAX && (
        <p className="p-2 text-ink-2">
          {ROWS_MAX} of {rows.length} times are shown.
        </p>
      )}
    </div>
  );
}
