/** The levels that states are drawn in. */
export type Level = "fatal" | "error" | "warn" | "info" | "debug";

/** One line: a value for each of the chart's times, or null. */
export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** The remaining series together, drawn in grey. */
  readonly isRest?: boolean;
  /** The period before, drawn dotted and in grey. */
  readonly isBefore?: boolean;
  /** A state, which has the colour of its level. */
  readonly level?: Level;
  /** The lowest and highest values around a line, drawn as a band. */
  readonly band?: { readonly low: readonly (number | null)[]; readonly high: readonly (number | null)[] };
}

export interface ChartData {
  /** Seconds since 1970, rising, evenly spaced. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
}

export interface ChartPoint {
  readonly atS: number;
  /** Null: the remaining series together. */
  readonly series: string | null;
  readonly value: number;
}

export type ChartUnit = "none" | "percent" | "bytes" | "seconds" | "milliseconds" | "per-second" | "bytes-per-second";

/** How the values are drawn. `area` is a single line with a wash; `heat` has a series for each row, the lowest first. */
export type ChartMark = "line" | "area" | "bars" | "stack" | "heat";

/** An event beside the data. */
export type ChartEvent =
  | { readonly kind: "deploy"; readonly atS: number; readonly text: string }
  | { readonly kind: "alert"; readonly fromS: number; readonly toS: number; readonly level: "error" | "warn" };

/** A named place on the x axis, for example a percentile. */
export interface ChartPlace {
  readonly at: number;
  readonly text: string;
}

export const SERIES_MAX = 8;

const POINTS_MAX = 5000;

/**
 * Puts the points of several series on one grid of times. So a time without a point is a gap, and no line crosses it.
 */
export function alignPoints(points: readonly ChartPoint[], stepS: number, restCount = 0): ChartData {
  const places = points.map(({ atS }) => Math.round(atS / stepS));
  const first = places.reduce((least, place) => Math.min(least, place), Infinity);
  const last = places.reduce((most, place) => Math.max(most, place), -Infinity);
  const count = points.length === 0 ? 0 : Math.min(POINTS_MAX, last - first + 1);
  const times = Array.from({ length: count }, (_, index) => (first + index) * stepS);
  const found = new Map<string | null, (number | null)[]>();
  points.forEach(({ series, value }, index) => {
    const values = found.get(series) ?? Array.from({ length: count }, () => null);
    found.set(series, values);
    const place = (places[index] ?? 0) - first;
    if (place < count && Number.isFinite(value)) values[place] = value;
  });
  const named = [...found].filter(([label]) => label !== null);
  const rest = found.get(null);
  const series: ChartSeries[] = named
    .toSorted(([, a], [, b]) => sumOf(b) - sumOf(a))
    .map(([label, values]) => ({ label: label === "" || label === null ? "(none)" : label, values }));
  return {
    times,
    series: rest === undefined ? series : [...series, { label: restLabel(restCount), values: rest, isRest: true }],
  };
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/**
 * Returns values for drawing. A metric that is sent each minute has no point at most seconds. So a line continues over
 * missing points (undefined) up to twice the usual distance of its points. Longer intervals are gaps (null).
 */
export function bridged(values: readonly (number | null)[]): readonly (number | null | undefined)[] {
  if (!values.includes(null)) return values;
  const places = values.flatMap((value, place) => (value === null ? [] : [place]));
  const distances = places.slice(1).map((place, index) => place - (places[index] ?? place));
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 1;
  const drawn: (number | null | undefined)[] = [...values];
  distances.forEach((distance, index) => {
    const from = places[index] ?? 0;
    if (distance > 1 && distance <= 2 * usual) drawn.fill(undefined, from + 1, from + distance);
  });
  return drawn;
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const PX_PER_POINT = 5;

/** Returns the distance of points that fits a chart of this width. */
export function stepFor(rangeS: number, widthPx: number): number {
  const wanted = rangeS / Math.max(20, widthPx / PX_PER_POINT);
  return STEPS_S.find((step) => step >= wanted) ?? Math.ceil(wanted / 86_400) * 86_400;
}

/** `30 s`, `5 min`, `6 h`. */
export function stepText(stepS: number): string {
  const [size, unit] =
    stepS < 60 ? [1, "s"] : stepS < 3600 ? [60, "min"] : stepS < 86_400 ? [3600, "h"] : [86_400, "d"];
  return `${Math.round((stepS / size) * 100) / 100} ${unit}`;
}

/** `others (31)`. */
export function restLabel(count: number): string {
  return count > 0 ? `others (${count})` : "others";
}

/** Keeps the series that are drawn separately, and adds up the others. The period before is not counted. */
export function limitSeries({ times, series }: ChartData): ChartData {
  const main = series.filter(({ isRest, isBefore }) => isRest !== true && isBefore !== true);
  if (main.length <= SERIES_MAX) return { times, series };
  const others = main.slice(SERIES_MAX);
  const values = times.map((_, index) => {
    const present = others.flatMap((each) => each.values[index] ?? []);
    return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0);
  });
  const rest = { label: restLabel(others.length), values, isRest: true };
  const kept = series.filter((each) => !others.includes(each));
  return { times, series: [...kept, rest] };
}

/** Whether there is anything to draw. Zero is a value; a gap is none. */
export function hasValues({ times, series }: ChartData): boolean {
  return times.length > 0 && series.some(({ values }) => values.some((value) => value !== null));
}

/** Returns the smallest distance of two times, or a minute for a single one. */
export function stepOf({ times }: ChartData): number {
  let step = Infinity;
  for (let index = 1; index < times.length; index++)
    step = Math.min(step, (times[index] ?? 0) - (times[index - 1] ?? 0));
  return Number.isFinite(step) && step > 0 ? step : 60;
}

/** Returns the index of the time that is nearest to a moment, or null if there is none. */
export function nearestIndex(times: readonly number[], atS: number): number | null {
  if (times.length === 0) return null;
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < atS) low = middle + 1;
    else high = middle;
  }
  const before = low > 0 && atS - (times[low - 1] ?? 0) < (times[low] ?? 0) - atS;
  return before ? low - 1 : low;
}

export interface SeriesSummary {
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly sum: number;
}

export function summaryOf(values: readonly (number | null)[]): SeriesSummary {
  let last: number | null = null;
  let min: number | null = null;
  let max: number | null = null;
  let sum = 0;
  for (const value of values) {
    if (value === null) continue;
    last = value;
    min = min === null || value < min ? value : min;
    max = max === null || value > max ? value : max;
    sum += value;
  }
  return { last, min, max, sum };
}
