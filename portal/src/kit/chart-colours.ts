import type { ChartSeries } from "./chart-model.ts";

const HUES = 5;

/** How a line looks: by hue, and past the hues by dashes, so that no two look alike. */
export interface LineLook {
  /** Name of the token. */
  readonly token: string;
  readonly dash: readonly number[];
}

export function lookOf(series: Pick<ChartSeries, "isRest">, index: number): LineLook {
  if (series.isRest === true) return { token: "--ink-3", dash: [2, 3] };
  return { token: `--chart-${(index % HUES) + 1}`, dash: index < HUES ? [] : [7, 3] };
}
