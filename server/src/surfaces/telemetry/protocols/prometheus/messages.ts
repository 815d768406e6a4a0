import { message } from "../../wire/protobuf/schema.ts";

/**
 * The messages of remote write 1.0 and 2.0 (prometheus/prompb/remote.proto, types.proto, and
 * io/prometheus/write/v2/types.proto), with the fields that are kept. A sender of 1.0 writes an exemplar as a series
 * without samples.
 */

export interface Label {
  readonly name?: string;
  readonly value?: string;
}

export interface Sample {
  /** null: the mark that ends a series. */
  readonly value?: number | null;
  /** Milliseconds since the epoch. */
  readonly timestamp?: number | bigint;
}

export interface Span {
  readonly offset?: number;
  readonly length?: number;
}

export interface Histogram {
  readonly countInt?: number;
  readonly countFloat?: number;
  readonly sum?: number | null;
  readonly schema?: number;
  readonly zeroThreshold?: number;
  readonly zeroCountInt?: number;
  readonly zeroCountFloat?: number;
  readonly negativeSpans?: readonly Span[];
  readonly negativeDeltas?: readonly number[];
  readonly negativeCounts?: readonly number[];
  readonly positiveSpans?: readonly Span[];
  readonly positiveDeltas?: readonly number[];
  readonly positiveCounts?: readonly number[];
  readonly timestamp?: number | bigint;
  readonly customValues?: readonly number[];
}

interface Points {
  readonly samples?: readonly Sample[];
  readonly histograms?: readonly Histogram[];
  readonly exemplars?: readonly object[];
}

export interface Series1 extends Points {
  readonly labels?: readonly Label[];
}

export interface Series2 extends Points {
  readonly labelsRefs?: readonly number[];
}

export interface Request1 {
  readonly timeseries?: readonly Series1[];
}

export interface Request2 {
  readonly symbols?: readonly string[];
  readonly timeseries?: readonly Series2[];
}

const LabelSchema = message("Label", { name: [1, "string"], value: [2, "string"] });
const SampleSchema = message("Sample", { value: [1, "sample"], timestamp: [2, "int64"] });
const ExemplarSchema = message("Exemplar", {});
const SpanSchema = message("BucketSpan", { offset: [1, "sint32"], length: [2, "varintCount"] });
const HistogramSchema = message("Histogram", {
  countInt: [1, "varintCount"],
  countFloat: [2, "double"],
  sum: [3, "sample"],
  schema: [4, "sint32"],
  zeroThreshold: [5, "double"],
  zeroCountInt: [6, "varintCount"],
  zeroCountFloat: [7, "double"],
  negativeSpans: [8, () => SpanSchema, "repeated"],
  negativeDeltas: [9, "sint64", "repeated"],
  negativeCounts: [10, "double", "repeated"],
  positiveSpans: [11, () => SpanSchema, "repeated"],
  positiveDeltas: [12, "sint64", "repeated"],
  positiveCounts: [13, "double", "repeated"],
  timestamp: [15, "int64"],
  customValues: [16, "double", "repeated"],
});
const Series1Schema = message("TimeSeries", {
  labels: [1, () => LabelSchema, "repeated"],
  samples: [2, () => SampleSchema, "repeated"],
  exemplars: [3, () => ExemplarSchema, "repeated"],
  histograms: [4, () => HistogramSchema, "repeated"],
});
const Series2Schema = message("TimeSeries", {
  labelsRefs: [1, "varintCount", "repeated"],
  samples: [2, () => SampleSchema, "repeated"],
  histograms: [3, () => HistogramSchema, "repeated"],
  exemplars: [4, () => ExemplarSchema, "repeated"],
});

export const REQUEST_1 = message("WriteRequest", { timeseries: [1, () => Series1Schema, "repeated"] });
export const REQUEST_2 = message("Request", {
  symbols: [4, "string", "repeated"],
  timeseries: [5, () => Series2Schema, "repeated"],
});
