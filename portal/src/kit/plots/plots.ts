import type { ChartUnit } from "../chart/model.ts";

export const AGGREGATIONS = ["avg", "sum", "min", "max", "p50", "p95", "p99", "rate"] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export const AGGREGATION_TITLES: Readonly<Record<Aggregation, string>> = {
  avg: "average",
  sum: "sum of values",
  min: "least",
  max: "most",
  p50: "median (p50)",
  p95: "p95",
  p99: "p99",
  rate: "rate per second",
};

/** One plot: a metric, the aggregation of its points, and the tag that splits it into lines. */
export interface Plot {
  readonly name: string;
  readonly aggregation: Aggregation;
  readonly by: string | null;
}

/** Formats a plot for the address: `p95(http_duration) by host`. */
export function plotText({ name, aggregation, by }: Plot): string {
  return `${aggregation}(${escaped(name)})${by === null ? "" : ` by ${by}`}`;
}

/** Parses a plot; null if it is invalid. */
export function plotOf(text: string): Plot | null {
  const [, word = "", name = "", by] = /^([a-z0-9]+)\(([^()]+)\)(?: by (.+))?$/s.exec(text) ?? [];
  const aggregation = AGGREGATIONS.find((known) => known === word);
  if (aggregation === undefined) return null;
  return { name: unescaped(name), aggregation, by: by ?? null };
}

/** Returns the valid plots of an address. */
export function plotsOf(texts: unknown): readonly Plot[] {
  const list: unknown[] = Array.isArray(texts) ? texts : [texts];
  return list.flatMap((text) => {
    const plot = typeof text === "string" ? plotOf(text) : null;
    return plot === null ? [] : [plot];
  });
}

function escaped(name: string): string {
  return name.replaceAll(/[%()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

function unescaped(name: string): string {
  return name.replaceAll(/%(25|28|29)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export type MetricKind = "gauge" | "counter" | "histogram";

/** Guesses the kind of a metric by the naming of Prometheus and OpenTelemetry, and by delta temporality. */
export function kindOf(name: string, isDelta: boolean): MetricKind {
  if (name.endsWith("_bucket")) return "histogram";
  return isDelta || /_(?:total|count|sum)$/.test(name) ? "counter" : "gauge";
}

/** Returns the default plot of a metric of this kind. */
export function firstPlot(name: string, kind: MetricKind): Plot {
  const aggregation = kind === "histogram" ? "p95" : kind === "counter" ? "rate" : "avg";
  return { name, aggregation, by: null };
}

const UNIT_TAGS: Readonly<Record<string, ChartUnit>> = {
  s: "seconds",
  seconds: "seconds",
  ms: "milliseconds",
  milliseconds: "milliseconds",
  By: "bytes",
  bytes: "bytes",
};

/** Returns the unit from the tag `unit`, otherwise from a Prometheus name: `…_seconds`, `…_bytes_total`. */
export function unitOf({ name, aggregation }: Plot, unitTag: string): ChartUnit {
  const [, word = ""] = /_(seconds|milliseconds|ms|bytes)(?:_total|_sum|_bucket)?$/.exec(name) ?? [];
  const unit = UNIT_TAGS[unitTag] ?? UNIT_TAGS[word] ?? "none";
  if (aggregation !== "rate") return unit;
  if (unit === "bytes" && !name.endsWith("_bucket")) return "bytes-per-second";
  return unit === "none" || name.endsWith("_bucket") ? "per-second" : "none";
}
