import type { ChartPoint } from "../chart/model.ts";

export interface Bucket {
  /** Upper bound; Infinity for the last. */
  readonly bound: number;
  /** Observations up to the bound. */
  readonly upTo: number;
}

export interface BucketRow {
  readonly atS: number;
  readonly series: string | null;
  readonly le: string;
  readonly value: number;
}

/**
 * Estimates a quantile of a histogram like Prometheus: linearly within a bucket, from zero in the lowest bucket, and at
 * most the highest finite bound. NaN without observations.
 */
export function histogramQuantile(quantile: number, buckets: readonly Bucket[]): number {
  const rising = buckets.toSorted((a, b) => a.bound - b.bound);
  const total = rising.at(-1)?.upTo ?? 0;
  if (!(total > 0)) return Number.NaN;
  const wanted = quantile * total;
  let below: Bucket = { bound: Math.min(0, rising[0]?.bound ?? 0), upTo: 0 };
  for (const bucket of rising) {
    if (bucket.upTo >= wanted) {
      if (!Number.isFinite(bucket.bound)) return below.bound;
      const inside = bucket.upTo - below.upTo;
      return inside <= 0 ? bucket.bound : below.bound + ((bucket.bound - below.bound) * (wanted - below.upTo)) / inside;
    }
    below = bucket;
  }
  return below.bound;
}

/** Returns the points of a quantile from the increases of buckets, for each time and line. */
export function quantilePoints(rows: readonly BucketRow[], quantile: number): readonly ChartPoint[] {
  const groups = Map.groupBy(rows, ({ atS, series }) => `${atS} ${series === null ? "" : `=${series}`}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const buckets = group.map(({ le, value }) => ({ bound: boundOf(le), upTo: value }));
    return [{ atS: first.atS, series: first.series, value: histogramQuantile(quantile, buckets) }];
  });
}

function boundOf(le: string): number {
  return /^\+?inf$/i.test(le) ? Infinity : Number(le);
}
