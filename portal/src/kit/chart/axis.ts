import { layoutLabels, type PlacedLabel } from "./labels.ts";
import { logTicks, logTitle } from "./log-ticks.ts";
import { stepOf, type ChartData, type ChartUnit } from "./model.ts";
import type { Scales } from "./scales.ts";
import { momentTitle, timeTicks } from "./time-ticks.ts";

/** The x axis: time in UTC, or a quantity by the logarithm to the base 10. */
export type ChartAxis = { readonly kind: "time" } | { readonly kind: "log"; readonly unit: ChartUnit };

export const TIME_AXIS: ChartAxis = { kind: "time" };

export interface DrawnAxis {
  readonly labels: readonly (PlacedLabel & { readonly isDay: boolean })[];
  /** Where days, weeks or months begin. */
  readonly linesPx: readonly number[];
}

/** Labels may begin this far left of the plot, where the y axis has nothing at this height. */
const OVER_PX = 34;

const DAY_S = 86_400;

/** Returns the texts and lines of the axis. A bar of whole days has its day in its middle. */
export function drawnAxis(axis: ChartAxis, { from, to, widthPx, xPx, step }: Scales, isBarred: boolean): DrawnAxis {
  const isDaily = axis.kind === "time" && isBarred && step % DAY_S === 0;
  const placeOf = (at: number): number => xPx(isDaily ? at + step / 2 : at);
  const { ticks, linesS } =
    axis.kind === "time"
      ? timeTicks(from, to, widthPx)
      : { ticks: logTicks(from, to, axis.unit).map(({ at, text }) => ({ atS: at, text, isDay: false })), linesS: [] };
  const days = new Set(ticks.filter(({ isDay }) => isDay).map(({ atS }) => placeOf(atS)));
  const labels = layoutLabels(
    ticks.map(({ atS, text, isDay }) => ({ atPx: placeOf(atS), text, weight: isDay ? 1 : 0 })),
    widthPx,
    axis.kind === "time" ? OVER_PX : 0,
  );
  return {
    labels: labels.map((label) => ({ ...label, isDay: days.has(label.atPx) })),
    linesPx: (isDaily ? [] : linesS).map(xPx).filter((px) => px > 0.5 && px < widthPx - 0.5),
  };
}

/** Returns the exact text of a place on the axis. */
export function axisTitle(axis: ChartAxis, at: number, data: ChartData): string {
  const step = stepOf(data);
  return axis.kind === "time" ? momentTitle(at, step) : logTitle(at, step, axis.unit);
}
