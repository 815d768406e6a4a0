import type { ChartSeries } from "./chart-model.ts";

const HUES = 5;

/** The look of a line. Lines differ by hue, and after the last hue also by dashes. */
export interface LineLook {
  /** Name of the CSS custom property. */
  readonly token: string;
  readonly dash: readonly number[];
}

export function lookOf(series: Pick<ChartSeries, "isRest">, index: number): LineLook {
  if (series.isRest === true) return { token: "--ink-3", dash: [2, 3] };
  return { token: `--chart-${(index % HUES) + 1}`, dash: index < HUES ? [] : [7, 3] };
}
