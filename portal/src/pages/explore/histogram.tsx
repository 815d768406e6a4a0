import { memo, type ReactNode } from "react";
import { Bars, type BarSeries } from "~/kit/bars.tsx";
import { STACK, type Histogram } from "./histogram-data.ts";

const FILLS: Readonly<Record<string, string>> = {
  fatal: "fill-stop",
  error: "fill-stop",
  warn: "fill-warn",
  info: "fill-line-2",
  debug: "fill-line",
  trace: "fill-line",
  other: "fill-line-2",
};

const SERIES: readonly BarSeries[] = STACK.map((name) => ({ name, fill: FILLS[name] ?? "fill-line-2" }));

/** A chart of entries over time by level. Selecting a part sets the time range. */
export const LogHistogram = memo(function LogHistogram({
  histogram,
  onSelect,
}: {
  histogram: Histogram | null;
  onSelect: (first: number, last: number) => void;
}): ReactNode {
  return (
    <section aria-label="Entries over time" className="shrink-0 rounded border border-line bg-sheet px-3.5 pb-1">
      <Bars
        label="Entries over time, by level"
        series={SERIES}
        bars={histogram?.bars ?? []}
        height={72}
        onSelect={onSelect}
      />
    </section>
  );
});
