import type { ChartData, ChartMark, ChartSeries } from "./model.ts";

export interface TipRow {
  readonly series: ChartSeries;
  readonly value: number | null;
}

/** Returns the values at one place, the highest first, then the period before. Empty parts of stacks are left out. */
export function rowsAt({ series }: ChartData, mark: ChartMark, index: number): readonly TipRow[] {
  const isCount = mark === "stack" || mark === "heat";
  return series
    .map((each) => ({ series: each, value: each.values[index] ?? null }))
    .filter(({ value }) => value !== null && !(isCount && value === 0))
    .toSorted(
      (a, b) =>
        Number(a.series.isBefore === true) - Number(b.series.isBefore === true) || (b.value ?? 0) - (a.value ?? 0),
    );
}

/** `+17 %`: the change of a single line since the period before. */
export function changeOf({ series }: ChartData, index: number): string | null {
  const before = series.find(({ isBefore }) => isBefore === true)?.values[index];
  const [main, more] = series.filter(({ isBefore }) => isBefore !== true);
  const now = main?.values[index];
  if (more !== undefined || typeof now !== "number" || typeof before !== "number" || before === 0) return null;
  return changeText(now / before - 1);
}

/** `+17 %`, `−4 %`. */
export function changeText(share: number): string {
  const percent = Math.round(Math.abs(share) * 100);
  return `${percent === 0 ? "±" : share < 0 ? "−" : "+"}${percent} %`;
}
