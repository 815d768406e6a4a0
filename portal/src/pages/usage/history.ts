import type { ResultOf, USAGE_ROUTES } from "@mooring/contract";
import type { BarRow } from "~/kit/chart/bar-list.tsx";
import type { ChartData, ChartUnit } from "~/kit/chart/model.ts";

export type DailyUsage = ResultOf<typeof USAGE_ROUTES.listDailyUsage>["items"][number];

export interface Measure {
  readonly title: string;
  readonly unit: ChartUnit;
}

export const MEASURES = {
  requests: { title: "Requests", unit: "none" },
  bytes_in: { title: "Bytes in", unit: "bytes" },
  bytes_out: { title: "Bytes out", unit: "bytes" },
  bytes_scanned: { title: "Bytes read by queries", unit: "bytes" },
  bytes_stored: { title: "Stored bytes", unit: "bytes" },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

export const PERIODS = { "30": "30 days", "90": "90 days", "396": "13 months" } as const;
export type Period = keyof typeof PERIODS;

const DAY_MS = 86_400_000;

/** Returns the first day of a period that ends today, as `2026-11-27`. */
export function firstDayOf(days: number, nowMs: number): string {
  return new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Returns a series for each service, with a value for each day from `from` until today. */
export function chartOf(rows: readonly DailyUsage[], of: MeasureName, from: string, nowMs: number): ChartData {
  const first = Date.parse(from);
  const count = Math.floor((nowMs - first) / DAY_MS) + 1;
  const byService = new Map<string, number[]>();
  for (const row of rows) {
    const { service = "" } = row;
    if (row[of] === 0) continue;
    let values = byService.get(service);
    if (values === undefined) byService.set(service, (values = Array.from({ length: count }, () => 0)));
    const index = (Date.parse(row.day) - first) / DAY_MS;
    values[index] = (values[index] ?? 0) + row[of];
  }
  return {
    times: Array.from({ length: count }, (_, index) => (first + index * DAY_MS) / 1000),
    series: [...byService].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([label, values]) => ({ label, values })),
  };
}

/** Returns a bar for each row with a value. */
export function barsOf(
  rows: readonly DailyUsage[],
  of: MeasureName,
  nameOf: (row: DailyUsage) => string,
): readonly BarRow[] {
  return rows.filter((row) => row[of] > 0).map((row) => ({ name: nameOf(row), values: [row[of]] }));
}
