import { bridged, stepOf, type ChartData, type ChartMark, type ChartSeries, type ChartUnit } from "./model.ts";
import { minmax, type PixelPoint } from "./paths.ts";
import { niceSteps, type Steps } from "./value-steps.ts";

/** Where times and values are in a plot of this size. */
export interface Scales {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly from: number;
  readonly to: number;
  /** The distance of two points, which is also the width of a bar. */
  readonly step: number;
  readonly steps: Steps;
  readonly xPx: (at: number) => number;
  readonly yPx: (value: number) => number;
}

interface Asked {
  readonly data: ChartData;
  readonly mark: ChartMark;
  readonly unit: ChartUnit;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly range?: readonly [from: number, to: number] | undefined;
  readonly hasZero: boolean;
  /** Values that must be visible, for example a threshold. */
  readonly also: readonly number[];
}

export function isBarred(mark: ChartMark): boolean {
  return mark === "bars" || mark === "stack" || mark === "heat";
}

/** Whether the values of a series add up to a total: counts in bars, but not rates. */
export function hasTotal(mark: ChartMark, unit: ChartUnit): boolean {
  return isBarred(mark) && unit !== "per-second" && unit !== "bytes-per-second" && unit !== "percent";
}

export function scalesOf({ data, mark, unit, widthPx, heightPx, range, hasZero, also }: Asked): Scales {
  const step = stepOf(data);
  const first = data.times[0] ?? 0;
  const end = (data.times.at(-1) ?? 1) + (isBarred(mark) ? step : 0);
  const [from, to] = range ?? [first, end > first ? end : first + step];
  const values = [...extentOf(data, mark), ...also];
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const isWhole = data.series.every(({ values: each }) => each.every((value) => value === null || value % 1 === 0));
  const steps = niceSteps({ low, high, unit, heightPx, hasZero: hasZero || isBarred(mark), isWhole });
  return {
    widthPx,
    heightPx,
    from,
    to,
    step,
    steps,
    xPx: (at) => ((at - from) / (to - from)) * widthPx,
    yPx: (value) => heightPx - ((value - steps.low) / (steps.high - steps.low)) * heightPx,
  };
}

function extentOf({ times, series }: ChartData, mark: ChartMark): readonly number[] {
  if (mark === "stack" || mark === "bars")
    return times.map((_, index) => series.reduce((sum, { values }) => sum + Math.max(0, values[index] ?? 0), 0));
  const ends = series.flatMap(({ values, band }) => [values, band?.low ?? [], band?.high ?? []]);
  let [low, high] = [Infinity, -Infinity];
  for (const values of ends)
    for (const value of values) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high].filter((value) => Number.isFinite(value));
}

/** Returns the points of a line in pixels, with its gaps. */
export function pointsOf(
  times: readonly number[],
  values: ChartSeries["values"],
  scales: Scales,
): readonly PixelPoint[] {
  return minmax(times, bridged(values), scales);
}
