import type { ChartData, ChartSeries } from "../../kit/chart/model.ts";
import { LEVELS } from "./levels.ts";

/** The levels in a bar, from bottom to top. The most severe level is at the bottom, where it is most visible. */
const STACK = [...LEVELS.map(({ id }) => id), "other"] as const;

export interface Histogram {
  /** A stack of the levels that occur, for every step of the range, including empty ones. */
  readonly data: ChartData;
  readonly total: number;
}

interface Row {
  readonly moment: string;
  readonly level_name: string;
  readonly n: number | string;
}

/** Returns the counts of each level at the starts of the steps. */
export function histogramOf(rows: readonly Row[], startsMs: readonly number[]): Histogram {
  const places = new Map(startsMs.map((ms, index) => [ms, index]));
  const counts = new Map(STACK.map((id) => [id as string, startsMs.map(() => 0)]));
  let total = 0;
  for (const { moment, level_name, n } of rows) {
    const values = counts.get(level_name) ?? counts.get("other") ?? [];
    const place = places.get(Date.parse(moment));
    total += Number(n);
    if (place !== undefined) values[place] = Number(n);
  }
  const series = STACK.map((id): ChartSeries => ({ label: id, values: counts.get(id) ?? [], ...lookOf(id) }));
  return {
    data: {
      times: startsMs.map((ms) => ms / 1000),
      series: series.filter(({ values }) => values.some((value) => value !== 0)),
    },
    total,
  };
}

function lookOf(id: (typeof STACK)[number]): Pick<ChartSeries, "level" | "isRest"> {
  if (id === "other") return { isRest: true };
  return { level: id === "trace" ? "debug" : id };
}
