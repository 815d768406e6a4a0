import { numberOf, type SqlRow } from "../../kit/chart-rows.ts";
import { powerText } from "../../kit/chart/log-ticks.ts";
import type { ChartData, ChartPlace } from "../../kit/chart/model.ts";
import { stepsOf } from "../../kit/chart/time-steps.ts";
import { valueText } from "../../kit/chart/units.ts";

/** The bars of the histogram within a factor of ten. */
const BARS_PER_TEN = 6;
/** The bars in one row of the heat map. */
const BARS_PER_ROW = 2;
const ROWS_PER_TEN = BARS_PER_TEN / BARS_PER_ROW;
const LEAST_MS = 0.001;

/** Returns a statement that counts the traces of a list by time and by duration. */
export function durationsSql(listSql: string): string {
  return `WITH found AS (
${listSql}
), counted AS (
  SELECT epoch_ms(time_bucket(to_milliseconds($step_ms), started)) AS bin,
    floor(log10(greatest(lasted_ms, ${LEAST_MS})) * ${BARS_PER_TEN}) AS bar, count(*) AS traces
  FROM found GROUP BY ALL
)
SELECT bin, bar, traces, quantile.p50, quantile.p95, quantile.p99 FROM counted, (
  SELECT quantile_cont(lasted_ms, 0.5) AS p50, quantile_cont(lasted_ms, 0.95) AS p95, quantile_cont(lasted_ms, 0.99) AS p99 FROM found
) quantile ORDER BY bin, bar`;
}

export interface Durations {
  /** Counts by time, with a row for each part of a factor of ten. */
  readonly heat: ChartData;
  /** The ends of the rows; a power of ten has a text. */
  readonly rowTexts: readonly string[];
  /** Counts by the logarithm of the duration. */
  readonly histogram: ChartData;
  readonly places: readonly ChartPlace[];
  readonly traces: number;
}

/** Returns the two charts of the rows of `durationsSql`. */
export function durationsOf(
  rows: readonly SqlRow[],
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Durations {
  const counted = rows.map((row) => ({
    binMs: numberOf(row, "bin"),
    bar: numberOf(row, "bar"),
    traces: numberOf(row, "traces"),
  }));
  const bars = counted.map(({ bar }) => bar);
  const first = Math.floor(Math.min(...bars) / BARS_PER_ROW);
  const last = Math.floor(Math.max(...bars) / BARS_PER_ROW);
  const rowCount = counted.length === 0 ? 0 : last - first + 1;
  const starts = stepsOf(fromMs, toMs, stepMs);
  const places = new Map(starts.map((ms, index) => [ms, index]));
  const heatRows = Array.from({ length: rowCount }, () => starts.map(() => 0));
  const sums = Array.from({ length: rowCount * BARS_PER_ROW }, () => 0);
  for (const { binMs, bar, traces } of counted) {
    const place = places.get(binMs);
    const row = heatRows[Math.floor(bar / BARS_PER_ROW) - first];
    if (row !== undefined && place !== undefined) row[place] = (row[place] ?? 0) + traces;
    const at = bar - first * BARS_PER_ROW;
    sums[at] = (sums[at] ?? 0) + traces;
  }
  return {
    heat: {
      times: starts.map((ms) => ms / 1000),
      series: heatRows.map((values, index) => ({ label: rowLabel(first + index), values })),
    },
    rowTexts: Array.from({ length: rowCount + 1 }, (_, index) => endText(first + index)),
    histogram: {
      times: sums.map((_, index) => (first * BARS_PER_ROW + index) / BARS_PER_TEN),
      series: counted.length === 0 ? [] : [{ label: "traces", values: sums }],
    },
    places: rows[0] === undefined ? [] : placesOf(rows[0]),
    traces: counted.reduce((all, { traces }) => all + traces, 0),
  };
}

function rowLabel(row: number): string {
  const textOf = (at: number): string => valueText(10 ** (at / ROWS_PER_TEN), "milliseconds");
  return `${textOf(row)} to ${textOf(row + 1)}`;
}

function endText(row: number): string {
  return row % ROWS_PER_TEN === 0 ? powerText(row / ROWS_PER_TEN, "milliseconds") : "";
}

function placesOf(row: SqlRow): readonly ChartPlace[] {
  return (["p50", "p95", "p99"] as const).flatMap((name) => {
    const ms = numberOf(row, name);
    if (!(ms > 0)) return [];
    return [{ at: Math.log10(Math.max(ms, LEAST_MS)), text: `${name} ${valueText(ms, "milliseconds")}` }];
  });
}
