import type { ChartUnit } from "./model.ts";
import { scaleOf } from "./units.ts";

/** The y axis: its ends, and its steps with their texts. Only the highest has the unit. */
export interface Steps {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

interface Asked {
  readonly low: number;
  readonly high: number;
  readonly unit: ChartUnit;
  readonly heightPx: number;
  /** Whether the axis has zero. */
  readonly hasZero?: boolean;
  /** Whether all values are whole numbers, so that fractions would be wrong. */
  readonly isWhole?: boolean;
}

const STEP_PX = 40;
const STEPS_MAX = 5;

/** Returns 2 to 5 round steps from the lowest to the highest value; a low chart has one. */
export function niceSteps({ low, high, unit, heightPx, hasZero = true, isWhole = false }: Asked): Steps {
  const [from, to] = endsOf(low, high, hasZero);
  const most = Math.max(1, Math.min(STEPS_MAX, Math.floor(heightPx / STEP_PX)));
  const least = Math.min(2, most);
  let best: { step: number; first: number; count: number } | null = null;
  for (const step of roundSteps(to - from, unit)) {
    if (isWhole && step < 1) continue;
    const first = Math.floor(from / step + 1e-9);
    const count = Math.ceil(to / step - 1e-9) - first;
    if (count > most || (count < least && !(isWhole && step === 1))) continue;
    const room = best === null ? Infinity : best.step * best.count;
    const isCloser = step * count < room * (1 - 1e-9);
    const isFiner = best !== null && Math.abs(step * count - room) <= room * 1e-9 && count > best.count;
    if (isCloser || isFiner) best = { step, first, count };
  }
  const { step, first, count } = best ?? { step: to - from, first: 0, count: 1 };
  const values = Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: (first + count) * step, ticks: textsOf(values, unit) };
}

function endsOf(low: number, high: number, hasZero: boolean): readonly [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const from = hasZero ? Math.min(0, low) : low;
  const to = hasZero ? Math.max(0, high) : high;
  if (to > from) return [from, to];
  return to === 0 ? [0, 1] : [Math.min(0, to), Math.max(0, to)];
}

function textsOf(values: readonly number[], unit: ChartUnit): Steps["ticks"] {
  const { divide, suffix } = scaleOf(Math.max(...values.map(Math.abs)), unit);
  return values.map((value, index) => {
    const text = (value / divide).toLocaleString("en", { maximumSignificantDigits: 4 }).replace("-", "−");
    return { value, text: index === values.length - 1 && suffix !== "" ? `${text} ${suffix}` : text };
  });
}

const SECONDS = [
  1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

/** Steps that people count in: powers of two for bytes, parts of minutes and hours for times, else 1, 2, 3 and 5. */
function roundSteps(size: number, unit: ChartUnit): readonly number[] {
  if (unit === "bytes" || unit === "bytes-per-second") return around(Math.log2(size), (exponent) => [2 ** exponent]);
  const tens = around(Math.log10(size), (exponent) => [1, 2, 3, 5].map((digit) => digit * 10 ** exponent));
  if (unit !== "seconds" && unit !== "milliseconds") return tens;
  const perS = unit === "seconds" ? 1 : 1000;
  if (size < 5 * perS) return tens;
  const days = around(Math.log10(size / perS / 86_400), (exponent) =>
    [1, 2, 3, 5].map((digit) => digit * 10 ** exponent * 86_400),
  ).filter((step) => step > 86_400);
  return [...SECONDS, ...days].map((step) => step * perS);
}

function around(exponent: number, stepsAt: (exponent: number) => readonly number[]): readonly number[] {
  const middle = Math.floor(exponent);
  return [-3, -2, -1, 0, 1].flatMap((more) => stepsAt(middle + more));
}
