import { numberOf, textOf, type SqlRow } from "../../kit/chart-rows.ts";
import type { ChartData, Level } from "../../kit/chart/model.ts";

export const HOURS = 24;
const HOUR_S = 3600;

/** The outcomes as states, from the base upwards. Successes are the grey of information. */
const LEVELS: readonly (readonly [outcome: string, level: Level])[] = [
  ["failed", "error"],
  ["refused", "warn"],
  ["success", "info"],
  ["aborted", "debug"],
];

/** Returns the accesses of each hour by outcome, with zeros for hours without rows. */
export function hoursOf(rows: readonly SqlRow[], fromS: number): ChartData {
  const times = Array.from({ length: HOURS }, (_, index) => fromS + index * HOUR_S);
  const counts = new Map(
    rows.map((row) => [`${textOf(row, "outcome")} ${numberOf(row, "hour")}`, numberOf(row, "accesses")]),
  );
  const series = LEVELS.map(([label, level]) => ({
    label,
    level,
    values: times.map((at) => counts.get(`${label} ${at}`) ?? 0),
  }));
  return { times, series: series.filter(({ values }) => values.some((value) => value > 0)) };
}

/** Returns the start of the first hour. The last one is the current hour. */
export function firstHourS(nowMs: number): number {
  return (Math.floor(nowMs / (HOUR_S * 1000)) - HOURS + 1) * HOUR_S;
}
