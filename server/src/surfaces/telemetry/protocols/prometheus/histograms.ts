import type { Histogram, Span } from "./messages.ts";

/** One row of a histogram: the suffix of its name, its value, and the upper bound of a bucket. */
export interface NativeSample {
  readonly suffix: string;
  readonly value: number;
  readonly le?: string;
}

export interface ExpandedNative {
  readonly samples: readonly NativeSample[];
  readonly fault?: string;
}

/** A histogram with more buckets gets a coarser schema until it fits: each bucket becomes a row. */
const BUCKETS_MAX = 160;
/** Schemas with exponential bounds (prometheus/model/histogram, `ExponentialSchemaMin`), and the one with custom bounds. */
const SCHEMA_MIN = -4;
const SCHEMA_MAX = 8;
const SCHEMA_CUSTOM = -53;
/** The limit of Prometheus: no longer spans are merged than this many buckets in one histogram. */
const LISTED_BUCKETS_MAX = 10_000;

type Bucket = readonly [index: number, count: number];

/**
 * Expands a native histogram as OTLP's exponential histograms: `_count`, `_sum`, and `_bucket` with the count of all
 * values up to `le`. Empty buckets have no row.
 */
export function expandNative(histogram: Histogram): ExpandedNative {
  const { schema = 0, customValues = [], zeroThreshold = 0 } = histogram;
  const count = histogram.countFloat ?? histogram.countInt ?? 0;
  const zero = histogram.zeroCountFloat ?? histogram.zeroCountInt ?? 0;
  const { positiveSpans, positiveDeltas, positiveCounts, negativeSpans, negativeDeltas, negativeCounts } = histogram;
  const above = bucketsOf(positiveSpans, positiveCounts ?? cumulated(positiveDeltas));
  const below = bucketsOf(negativeSpans, negativeCounts ?? cumulated(negativeDeltas));
  if (above === undefined || below === undefined) return refused("the spans and the buckets do not fit");
  if (!Number.isFinite(count) || !Number.isFinite(zeroThreshold)) return refused("a count or bound is not finite");
  if (schema === SCHEMA_CUSTOM)
    return { samples: [...totals(histogram, count), ...custom(above, customValues, count)] };
  if (schema < SCHEMA_MIN || schema > SCHEMA_MAX) return refused(`schema ${schema} is not known`);
  const bounds = fitting(below, above, schema);
  const zeros: Bucket[] = zero === 0 ? [] : [[zeroThreshold, zero]];
  return { samples: [...totals(histogram, count), ...upTo([...bounds.below, ...zeros, ...bounds.above], count)] };
}

/** Returns the upper bounds of both sides in ascending order, with the finest schema that has few enough buckets. */
function fitting(
  below: readonly Bucket[],
  above: readonly Bucket[],
  schema: number,
): { readonly below: readonly Bucket[]; readonly above: readonly Bucket[] } {
  let [lower, upper, scale] = [below, above, schema];
  while (lower.length + upper.length > BUCKETS_MAX && scale > SCHEMA_MIN) {
    [lower, upper, scale] = [halved(lower), halved(upper), scale - 1];
  }
  const bound = (index: number): number => 2 ** (index * 2 ** -scale);
  return {
    // A bucket holds (bound(i - 1), bound(i)]; one of negative values [-bound(i), -bound(i - 1)).
    below: lower.map(([index, count]): Bucket => [-bound(index - 1), count]).toReversed(),
    above: upper.map(([index, count]): Bucket => [bound(index), count]),
  };
}

/** Merges each two neighbours, as the next coarser schema has them. */
function halved(buckets: readonly Bucket[]): Bucket[] {
  const merged = new Map<number, number>();
  for (const [index, count] of buckets) {
    const at = Math.ceil(index / 2);
    merged.set(at, (merged.get(at) ?? 0) + count);
  }
  return [...merged];
}

function custom(buckets: readonly Bucket[], bounds: readonly number[], count: number): NativeSample[] {
  return upTo(
    buckets.flatMap(([index, value]): Bucket[] => {
      const bound = bounds[index];
      return bound === undefined ? [] : [[bound, value]];
    }),
    count,
  );
}

/** Returns the index and the count of each bucket that is not empty; undefined when the spans list other buckets. */
function bucketsOf(spans: readonly Span[] = [], counts: readonly number[] = []): Bucket[] | undefined {
  if (counts.length > LISTED_BUCKETS_MAX) return undefined;
  const buckets: Bucket[] = [];
  let index = 0;
  let at = 0;
  for (const { offset = 0, length = 0 } of spans) {
    index += offset;
    if (length > counts.length - at) return undefined;
    for (let left = length; left > 0; left--) {
      const count = counts[at++] as number;
      if (!Number.isFinite(count)) return undefined;
      if (count !== 0) buckets.push([index, count]);
      index += 1;
    }
  }
  return at === counts.length ? buckets : undefined;
}

/** Whole counts are sent as differences to the bucket before. */
function cumulated(deltas: readonly number[] = []): number[] {
  let count = 0;
  return deltas.map((delta) => (count += delta));
}

function totals({ sum }: Histogram, count: number): NativeSample[] {
  const samples: NativeSample[] = [{ suffix: "_count", value: count }];
  if (typeof sum === "number" && Number.isFinite(sum)) samples.push({ suffix: "_sum", value: sum });
  return samples;
}

function upTo(buckets: readonly Bucket[], count: number): NativeSample[] {
  let total = 0;
  const samples = buckets
    .map(([le, value]): NativeSample => {
      total += value;
      return { suffix: "_bucket", value: total, le: String(le) };
    })
    .filter(({ le }) => le !== "Infinity");
  return [...samples, { suffix: "_bucket", value: count, le: "+Inf" }];
}

function refused(fault: string): ExpandedNative {
  return { samples: [], fault };
}
