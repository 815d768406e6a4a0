import { bytesText, durationText } from "../figures.ts";
import type { ChartUnit } from "./model.ts";

interface Scale {
  readonly divide: number;
  readonly suffix: string;
}

const KIBI = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const KILO = ["", "k", "M", "G", "T"];
const MS: readonly (readonly [ms: number, suffix: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
  [1, "ms"],
  [0.001, "µs"],
];

/** Returns the divisor and the unit of an axis with this highest value. */
export function scaleOf(high: number, unit: ChartUnit): Scale {
  switch (unit) {
    case "bytes":
    case "bytes-per-second": {
      const power = high < 1 ? 0 : Math.min(KIBI.length - 1, Math.floor(Math.log2(high) / 10));
      return { divide: 1024 ** power, suffix: `${KIBI[power] ?? ""}${unit === "bytes" ? "" : "/s"}` };
    }
    case "seconds":
    case "milliseconds": {
      const perMs = unit === "seconds" ? 1000 : 1;
      // 90 s is clearer than 1.5 min.
      const [ms, suffix] = MS.find(([size]) => high * perMs >= (size > 1000 ? 2 * size : size)) ?? [perMs, "s"];
      return high === 0 ? { divide: 1, suffix: unit === "seconds" ? "s" : "ms" } : { divide: ms / perMs, suffix };
    }
    case "percent":
      return { divide: 1, suffix: "%" };
    case "per-second":
    case "none": {
      const power = high < 1000 ? 0 : Math.min(KILO.length - 1, Math.floor(Math.log10(high) / 3 + 1e-9));
      return { divide: 1000 ** power, suffix: `${KILO[power] ?? ""}${unit === "none" ? "" : "/s"}` };
    }
  }
}

const PLAIN = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const MILLION = 1_000_000;

/** Formats one value with its unit, the unit after a space: `1,246 /s`, `78 %`, `184 GiB`. */
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
    case "percent":
      return `${sign}${PLAIN.format(size)} %`;
    case "per-second":
      return `${sign}${plainText(size)} /s`;
    case "none":
      return sign + plainText(size);
  }
}

function plainText(size: number): string {
  if (size < 1000) return PLAIN.format(size);
  if (size < MILLION) return COUNT.format(size);
  const { divide, suffix } = scaleOf(size, "none");
  return `${PLAIN.format(size / divide)} ${suffix}`;
}
