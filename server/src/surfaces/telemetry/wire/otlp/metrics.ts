import type { DataPoint, Metric, NumberDataPoint, Points, Requests } from "./messages.ts";
import { expandExponential, expandHistogram, expandSummary, type Expanded } from "./histograms.ts";
import { nameOf, nestedFaults, objectOf, plainOf, projectOf, textPairsOf, timestampOf } from "./values.ts";
import type { Mapped } from "../records.ts";

type Tags = readonly (readonly [string, unknown])[];

/** `DataPointFlags` */
const NO_RECORDED_VALUE = 1;
const TEMPORALITY_DELTA = 1;

/** Maps each data point to a record. `received` is the time of points without one. */
export function* mapMetrics(request: Requests["metrics"], received: string): Generator<Mapped> {
  for (const { resource, scopeMetrics } of request.resourceMetrics ?? []) {
    for (const { scope, metrics } of scopeMetrics ?? []) {
      const common = [
        ...textPairsOf(resource?.attributes),
        ...textPairsOf(scope?.attributes, "scope."),
        ...nameOf(scope),
      ];
      const project = projectOf(resource);
      for (const metric of metrics ?? []) yield* mapMetric(metric, { common, received, project });
    }
  }
}

interface Context {
  readonly common: Tags;
  readonly received: string;
  readonly project: string | undefined;
}

function* mapMetric(metric: Metric, context: Context): Generator<Mapped> {
  const { name, gauge, sum, histogram, exponentialHistogram, summary } = metric;
  yield* mapPoints({ name, points: gauge, expand: numberOf }, context);
  yield* mapPoints({ name, points: sum, expand: numberOf }, context);
  yield* mapPoints({ name, points: histogram, expand: expandHistogram }, context);
  yield* mapPoints({ name, points: exponentialHistogram, expand: expandExponential }, context);
  yield* mapPoints({ name, points: summary, expand: expandSummary }, context);
}

interface Series<P> {
  readonly name: string | undefined;
  readonly points: Points<P> | undefined;
  readonly expand: (point: P) => Expanded;
}

function* mapPoints<P extends DataPoint>({ name, points, expand }: Series<P>, context: Context): Generator<Mapped> {
  const common = [...context.common, ...temporalityOf(points?.aggregationTemporality)];
  for (const point of points?.dataPoints ?? []) {
    // The flag says that the series has ended, so the point has no value.
    if (((point.flags ?? 0) & NO_RECORDED_VALUE) !== 0) yield { rows: [], faults: [] };
    else yield mapPoint(name, point, expand(point), { ...context, common });
  }
}

/** Returns a tag for delta temporality. Untagged points are cumulative, as in Prometheus. */
function temporalityOf(temporality: number | undefined): Tags {
  return temporality === TEMPORALITY_DELTA ? [["aggregation.temporality", "delta"]] : [];
}

function numberOf({ asDouble, asInt }: NumberDataPoint): Expanded {
  const value = asDouble ?? asInt;
  if (typeof value !== "bigint") return { samples: [{ suffix: "", value }] };
  const near = Number(value);
  if (BigInt(near) === value) return { samples: [{ suffix: "", value: near }] };
  const detail = `is a whole number that a double can't hold: it would become ${BigInt(near)}`;
  return { samples: [], fault: { pointer: "/asInt", detail } };
}

/** Counts are whole numbers; sums and quantiles may have fractions. */
function isCount(suffix: string): boolean {
  return suffix === "_count" || suffix === "_bucket";
}

function mapPoint(
  name: string | undefined,
  point: DataPoint,
  { samples, fault }: Expanded,
  { common, received, project }: Context,
): Mapped {
  const time = timestampOf(point.timeUnixNano);
  const timestamp = time ?? received;
  const own = [...common, ...textPairsOf(point.attributes)];
  const rows = samples.map(({ suffix, value, tag }) => {
    const tags = objectOf(tag === undefined ? own : [...own, tag]);
    return { entry: { timestamp, name: name === undefined ? undefined : name + suffix, value, tags } };
  });
  const nested = (point.attributes ?? []).flatMap(({ value }) =>
    value?.stringValue === undefined ? nestedFaults("tags", plainOf(value)) : [],
  );
  const rounded = samples.some(({ suffix, value = 0 }) => isCount(suffix) && !Number.isSafeInteger(value))
    ? [{ pointer: "/count", detail: "has a count that a double can't hold: it is greater than 2^53 − 1" }]
    : [];
  const faults = [...(fault === undefined ? [] : [fault]), ...rounded, ...nested];
  return { rows, faults, project, isTimeless: time === undefined };
}
