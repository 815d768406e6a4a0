import type { ChartData, ChartSeries, Level } from "~/kit/chart/model.ts";

/** The end of the samples, so that every picture has the same dates. */
export const END_S = Date.UTC(2026, 10, 24, 9, 45) / 1000;
export const DAY_S = 86_400;

/** Returns numbers from 0 to 1 that look random and are the same each time. */
function noiseOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
}

export function timesOf(spanS: number, stepS: number): number[] {
  const first = Math.ceil((END_S - spanS) / stepS) * stepS;
  return Array.from({ length: Math.floor((END_S - first) / stepS) + 1 }, (_, index) => first + index * stepS);
}

interface Wave {
  readonly label: string;
  readonly base: number;
  /** How much it rises by day. */
  readonly day?: number;
  readonly noise?: number;
  readonly seed: number;
  /** More within this part of the range. */
  readonly peak?: { readonly from: number; readonly to: number; readonly times: number };
}

export function waveOf(times: readonly number[], { label, base, day = 0, noise = 0.1, seed, peak }: Wave): ChartSeries {
  const random = noiseOf(seed);
  let drift = 0;
  const values = times.map((atS, index) => {
    drift = drift * 0.8 + (random() - 0.5) * noise * base;
    const hour = (atS % DAY_S) / DAY_S;
    const share = index / times.length;
    const more = peak !== undefined && share >= peak.from && share < peak.to ? peak.times : 1;
    return Math.max(0, Math.round((base + day * Math.sin((hour - 0.45) * 2 * Math.PI) + drift) * more * 10) / 10);
  });
  return { label, values };
}

export function wavesOf(times: readonly number[], waves: readonly Wave[]): ChartData {
  return { times, series: waves.map((wave) => waveOf(times, wave)) };
}

const LEVELS: readonly (readonly [Level, number])[] = [
  ["fatal", 0.4],
  ["error", 18],
  ["warn", 34],
  ["info", 400],
  ["debug", 110],
];

export function levelsOf(times: readonly number[]): ChartData {
  return {
    times,
    series: LEVELS.map(([level, base], index) => {
      const peak = level === "info" || level === "debug" ? undefined : { from: 0.72, to: 0.81, times: 6 };
      const wave = waveOf(times, { label: level, base, day: base * 0.4, seed: index + 11, ...(peak && { peak }) });
      return { ...wave, level, values: wave.values.map((value) => Math.round(value ?? 0)) };
    }),
  };
}

/** Requests by duration: rows of a factor of two. */
export function heatOf(times: readonly number[], rows: number): ChartData {
  const random = noiseOf(5);
  const series = Array.from({ length: rows }, (_, row) => ({
    label: `row ${row + 1}`,
    values: times.map((_at, index) => {
      const isSlow = index > times.length * 0.7 && index < times.length * 0.8;
      const centre = isSlow ? 7 : 4;
      const count = 840 * Math.exp(-((row - centre) ** 2) / 2.6) * (0.5 + random());
      return count < 6 ? 0 : Math.round(count);
    }),
  }));
  return { times, series };
}

/** Traces by the logarithm of their duration in milliseconds. */
export function durationsSample(): ChartData {
  const times = Array.from({ length: 27 }, (_, index) => index / 6);
  const values = times.map((at) =>
    Math.round(180 * Math.exp(-((at - 1.35) ** 2) / 0.5) + 28 * Math.exp(-((at - 3) ** 2) / 0.15)),
  );
  return { times, series: [{ label: "traces", values }] };
}
