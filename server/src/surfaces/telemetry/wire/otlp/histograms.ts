import { OTLP_BUCKETS_MAX } from "#kernel/limits.ts";
import type { ProblemPlace } from "#kernel/problem.ts";
import type { Buckets, ExponentialHistogramDataPoint, HistogramDataPoint, SummaryDataPoint } from "./messages.ts";

/** One row of a point: the suffix of its name, its value, and its additional tag. */
interface Sample {
  readonly suffix: string;
  readonly value: number | undefined;
  readonly tag?: readonly [string, string];
}

export interface Expanded {
  readonly samples: readonly Sample[];
  readonly fault?: ProblemPlace;
}

/**
 * Beyond these scales, neighbouring bounds are the same double (OpenTelemetry metrics SDK, exponential histogram
 * scale).
 */
const SCALE_MIN = -10;
const SCALE_MAX = 20;

/**
 * Expands a histogram by Prometheus's conventions: `_count`, `_sum`, and `_bucket` with the count of all values up to
 * `le`.
 */
export function expandHistogram(point: HistogramDataPoint): Expanded {
  const { bucketCounts = [], explicitBounds = [] } = point;
  if (bucketCounts.length > OTLP_BUCKETS_MAX) return tooMany("bucketCounts");
  if (bucketCounts.length !== 0 && bucketCounts.length !== explicitBounds.length + 1) {
    return refused("bucketCounts", "must have one element more than explicitBounds");
  }
  if (explicitBounds.some((bound) => !Number.isFinite(bound))) return refused("explicitBounds", "must be finite");
  const bounds = bucketCounts.length === 0 ? [] : explicitBounds;
  return {
    samples: [...totals(point), ...cumulated(bounds.map((le, at) => [le, bucketCounts[at] ?? 0])), last(point)],
  };
}

/**
 * Expands an exponential histogram, with the bounds of its scale. An empty bucket has no row, since the next row has
 * the same count.
 */
export function expandExponential(point: ExponentialHistogramDataPoint): Expanded {
  const { scale = 0, zeroCount = 0, zeroThreshold = 0, positive, negative } = point;
  if (scale < SCALE_MIN || scale > SCALE_MAX) return refused("scale", `must be from ${SCALE_MIN} to ${SCALE_MAX}`);
  for (const { bucketCounts = [] } of [positive ?? {}, negative ?? {}]) {
    if (bucketCounts.length > OTLP_BUCKETS_MAX) return tooMany("bucketCounts");
  }
  if (!Number.isFinite(zeroThreshold)) return refused("zeroThreshold", "must be finite");
  const bound = (index: number): number => 2 ** (index * 2 ** -scale);
  // A bucket holds (bound(i), bound(i + 1)]; a bucket of negative values holds [-bound(i + 1), -bound(i)).
  const below = filled(negative).map(([index, count]): [number, number] => [-bound(index), count]);
  const above = filled(positive).map(([index, count]): [number, number] => [bound(index + 1), count]);
  const zero: [number, number][] = zeroCount === 0 ? [] : [[zeroThreshold, zeroCount]];
  const buckets = [...below.toReversed(), ...zero, ...above].filter(([le]) => Number.isFinite(le));
  return { samples: [...totals(point), ...cumulated(buckets), last(point)] };
}

export function expandSummary(point: SummaryDataPoint): Expanded {
  if ((point.quantileValues?.length ?? 0) > OTLP_BUCKETS_MAX) return tooMany("quantileValues");
  const quantiles = (point.quantileValues ?? []).map(({ quantile = 0, value = 0 }): Sample => ({
    suffix: "",
    value,
    tag: ["quantile", String(quantile)],
  }));
  return { samples: [...totals(point), ...quantiles] };
}

function totals({ count = 0, sum }: { readonly count?: number; readonly sum?: number }): Sample[] {
  const samples = [{ suffix: "_count", value: count }];
  if (sum !== undefined) samples.push({ suffix: "_sum", value: sum });
  return samples;
}

/** Sorts the bounds and adds up the counts of their buckets. */
function cumulated(buckets: readonly (readonly [number, number])[]): Sample[] {
  let total = 0;
  return buckets.map(([le, count]) => {
    total += count;
    return { suffix: "_bucket", value: total, tag: ["le", String(le)] };
  });
}

function last({ count = 0 }: { readonly count?: number }): Sample {
  return { suffix: "_bucket", value: count, tag: ["le", "+Inf"] };
}

/** Returns the index and the count of each bucket that is not empty. */
function filled({ offset = 0, bucketCounts = [] }: Buckets = {}): [number, number][] {
  return bucketCounts.map((count, at): [number, number] => [offset + at, count]).filter(([, count]) => count > 0);
}

function tooMany(member: string): Expanded {
  return refused(member, `has more than ${OTLP_BUCKETS_MAX} elements`);
}

function refused(member: string, detail: string): Expanded {
  return { samples: [], fault: { pointer: `/${member}`, detail } };
}
