import { bytesText, durationText } from "./figures.ts";

/** One line: a value for each of the chart's times, or null. */
export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** The remaining series together, drawn in grey. */
  readonly isRest?: boolean;
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

export type ChartUnit = "none" | "bytes" | "seconds" | "milliseconds" | "per-second" | "bytes-per-second";

const POINTS_MAX = 5000;
const PLACES = 4;
export const REST_LABEL = "all others";

/**
 * Puts the points of several series on one grid of times. So a time without a point is a gap, and no line crosses it.
 */
export function alignPoints(points: readonly ChartPoint[], stepS: number, emptyLabel = "(none)"): ChartData {
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
    .map(([label, values]) => ({ label: label === "" || label === null ? emptyLabel : label, values }));
  return {
    times,
    series: rest === undefined ? series : [...series, { label: REST_LABEL, values: rest, isRest: true }],
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

/** Returns the points without a line on either side, which are drawn as dots to be visible. */
export function isolated(drawn: readonly (number | null | undefined)[]): number[] {
  return drawn.flatMap((value, place) => {
    if (value === null || value === undefined) return [];
    const isEdge = (at: number): boolean => at < 0 || at >= drawn.length || drawn[at] === null;
    return isEdge(place - 1) && isEdge(place + 1) ? [place] : [];
  });
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
  return `${PLAIN.format(stepS / size)} ${unit}`;
}

const PLAIN = new Intl.NumberFormat("en", { maximumSignificantDigits: PLACES });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: PLACES, notation: "compact" });

/** Formats a value with its unit. */
export function valueText(value: number | null | undefined, unit: ChartUnit = "none"): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  switch (unit) {
    case "bytes":
      return sign + bytesText(size);
    case "bytes-per-second":
      return `${sign}${bytesText(size)}/s`;
    case "seconds":
      return size === 0 ? "0 s" : sign + durationText(size * 1000);
    case "milliseconds":
      return size === 0 ? "0 ms" : sign + durationText(size);
    case "per-second":
      return `${plainText(value)}/s`;
    case "none":
      return plainText(value);
  }
}

function plainText(value: number): string {
  return (Math.abs(value) < 1_000_000 ? PLAIN : SHORT).format(value);
}

/** `14:05:00`, or with the date if the range is longer than a day. */
export function timeText(atS: number, withDay: boolean): string {
  const iso = new Date(atS * 1000).toISOString();
  return withDay ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : iso.slice(11, 19);
}
