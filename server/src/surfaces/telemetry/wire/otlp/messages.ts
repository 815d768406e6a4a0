/** The decoded messages, the same for both encodings. A field that was not sent is absent. */
export interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | bigint;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values?: readonly KeyValue[] };
  /** base64 */
  readonly bytesValue?: string;
}

export interface KeyValue {
  readonly key?: string;
  readonly value?: AnyValue;
}

export interface Attributed {
  readonly attributes?: readonly KeyValue[];
}

export interface Scope extends Attributed {
  readonly name?: string;
  readonly version?: string;
}

export interface LogRecord extends Attributed {
  readonly timeUnixNano?: bigint;
  readonly observedTimeUnixNano?: bigint;
  readonly severityNumber?: number;
  readonly severityText?: string;
  readonly body?: AnyValue;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly eventName?: string;
}

export interface SpanEvent extends Attributed {
  readonly timeUnixNano?: bigint;
  readonly name?: string;
}

export interface SpanLink extends Attributed {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly traceState?: string;
}

export interface Span extends Attributed {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly traceState?: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: bigint;
  readonly endTimeUnixNano?: bigint;
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly SpanLink[];
  readonly status?: { readonly message?: string; readonly code?: number };
}

export interface DataPoint extends Attributed {
  readonly timeUnixNano?: bigint;
  readonly flags?: number;
}

export interface NumberDataPoint extends DataPoint {
  readonly asDouble?: number;
  readonly asInt?: number | bigint;
}

interface CountedPoint extends DataPoint {
  readonly count?: number;
  readonly sum?: number;
}

export interface HistogramDataPoint extends CountedPoint {
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

export interface Buckets {
  readonly offset?: number;
  readonly bucketCounts?: readonly number[];
}

export interface ExponentialHistogramDataPoint extends CountedPoint {
  readonly scale?: number;
  readonly zeroCount?: number;
  readonly zeroThreshold?: number;
  readonly positive?: Buckets;
  readonly negative?: Buckets;
}

export interface SummaryDataPoint extends CountedPoint {
  readonly quantileValues?: readonly { readonly quantile?: number; readonly value?: number }[];
}

export interface Points<P> {
  readonly dataPoints?: readonly P[];
  readonly aggregationTemporality?: number;
}

export interface Metric {
  readonly name?: string;
  readonly gauge?: Points<NumberDataPoint>;
  readonly sum?: Points<NumberDataPoint>;
  readonly histogram?: Points<HistogramDataPoint>;
  readonly exponentialHistogram?: Points<ExponentialHistogramDataPoint>;
  readonly summary?: Points<SummaryDataPoint>;
}

interface OfResource {
  readonly resource?: Attributed;
}

interface OfScope {
  readonly scope?: Scope;
}

/** The decoded request of each type. */
export interface Requests {
  readonly logs: {
    readonly resourceLogs?: readonly (OfResource & {
      readonly scopeLogs?: readonly (OfScope & { readonly logRecords?: readonly LogRecord[] })[];
    })[];
  };
  readonly metrics: {
    readonly resourceMetrics?: readonly (OfResource & {
      readonly scopeMetrics?: readonly (OfScope & { readonly metrics?: readonly Metric[] })[];
    })[];
  };
  readonly traces: {
    readonly resourceSpans?: readonly (OfResource & {
      readonly scopeSpans?: readonly (OfScope & { readonly spans?: readonly Span[] })[];
    })[];
  };
}
