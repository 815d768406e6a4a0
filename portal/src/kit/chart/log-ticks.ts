import type { ChartUnit } from "./model.ts";
import { scaleOf, valueText } from "./units.ts";

export interface LogTick {
  /** The logarithm to the base 10. */
  readonly at: number;
  readonly text: string;
}

/** Returns the powers of ten of a logarithmic axis. The unit stands where it begins: `1 ms`, `10`, `100`, `1 s`. */
export function logTicks(from: number, to: number, unit: ChartUnit): readonly LogTick[] {
  const first = Math.ceil(from - 1e-9);
  const count = Math.max(0, Math.floor(to + 1e-9) - first + 1);
  let before = "";
  return Array.from({ length: count }, (_, index) => {
    const at = first + index;
    const [number, suffix] = powerOf(at, unit);
    const text = suffix === before ? number : `${number} ${suffix}`.trim();
    before = suffix;
    return { at, text };
  });
}

/** `10 s`: a power of ten with its unit. */
export function powerText(at: number, unit: ChartUnit): string {
  return powerOf(at, unit).join(" ").trim();
}

/** Times above a second stay seconds, because a minute is not a power of ten. */
function powerOf(at: number, unit: ChartUnit): readonly [number: string, suffix: string] {
  const isLong = (unit === "milliseconds" && at >= 3) || (unit === "seconds" && at >= 0);
  const { divide, suffix } = isLong ? { divide: unit === "seconds" ? 1 : 1000, suffix: "s" } : scaleOf(10 ** at, unit);
  return [(Math.round((10 ** at / divide) * 1000) / 1000).toLocaleString("en"), suffix];
}

/** `20 ms to 40 ms`: the values of a bar on a logarithmic axis. */
export function logTitle(at: number, step: number, unit: ChartUnit): string {
  return `${valueText(10 ** at, unit)} to ${valueText(10 ** (at + step), unit)}`;
}
