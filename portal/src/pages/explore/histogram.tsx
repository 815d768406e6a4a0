import { memo, type ReactNode } from "react";
import { Chart } from "~/kit/chart/chart.tsx";
import type { Histogram } from "./histogram-data.ts";

/** A chart of entries over time by level. A marked part becomes the time range. */
export const LogHistogram = memo(function LogHistogram({
  histogram,
  isFetching,
  onRange,
}: {
  histogram: Histogram | null;
  isFetching: boolean;
  onRange: (fromS: number, toS: number) => void;
}): ReactNode {
  return (
    <section aria-label="Entries over time" className="shrink-0 rounded border border-line bg-sheet px-3.5 pb-1">
      <Chart
        label="Entries over time, by level"
        mark="stack"
        data={histogram?.data}
        heightPx={72}
        isFetching={isFetching}
        onRange={onRange}
        empty="No entries in this range"
      />
    </section>
  );
});
