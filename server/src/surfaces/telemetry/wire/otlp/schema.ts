import { message, type MessageSchema } from "../protobuf/schema.ts";

/**
 * The messages of OTLP (opentelemetry-proto 1.x) and the fields that are kept; all others are skipped. Both encodings
 * use this table, so they always give the same result.
 */

const AnyValue: MessageSchema = message("AnyValue", {
  stringValue: [1, "string"],
  boolValue: [2, "bool"],
  intValue: [3, "int64"],
  doubleValue: [4, "double"],
  arrayValue: [5, () => ArrayValue],
  kvlistValue: [6, () => KeyValueList],
  bytesValue: [7, "bytes"],
});
const KeyValue = message("KeyValue", { key: [1, "string"], value: [2, () => AnyValue] });
const ArrayValue = message("ArrayValue", { values: [1, () => AnyValue, "repeated"] });
const KeyValueList = message("KeyValueList", { values: [1, () => KeyValue, "repeated"] });
const Resource = message("Resource", { attributes: [1, () => KeyValue, "repeated"] });
const Scope = message("InstrumentationScope", {
  name: [1, "string"],
  version: [2, "string"],
  attributes: [3, () => KeyValue, "repeated"],
});

const LogRecord = message("LogRecord", {
  timeUnixNano: [1, "nanos"],
  severityNumber: [2, "int32"],
  severityText: [3, "string"],
  body: [5, () => AnyValue],
  attributes: [6, () => KeyValue, "repeated"],
  traceId: [9, "id"],
  spanId: [10, "id"],
  observedTimeUnixNano: [11, "nanos"],
  eventName: [12, "string"],
});
const ScopeLogs = message("ScopeLogs", { scope: [1, () => Scope], logRecords: [2, () => LogRecord, "repeated"] });
const ResourceLogs = message("ResourceLogs", {
  resource: [1, () => Resource],
  scopeLogs: [2, () => ScopeLogs, "repeated"],
});

const SpanEvent = message("Span.Event", {
  timeUnixNano: [1, "nanos"],
  name: [2, "string"],
  attributes: [3, () => KeyValue, "repeated"],
});
const SpanLink = message("Span.Link", {
  traceId: [1, "id"],
  spanId: [2, "id"],
  traceState: [3, "string"],
  attributes: [4, () => KeyValue, "repeated"],
});
const Status = message("Status", { message: [2, "string"], code: [3, "int32"] });
const Span = message("Span", {
  traceId: [1, "id"],
  spanId: [2, "id"],
  traceState: [3, "string"],
  parentSpanId: [4, "id"],
  name: [5, "string"],
  kind: [6, "int32"],
  startTimeUnixNano: [7, "nanos"],
  endTimeUnixNano: [8, "nanos"],
  attributes: [9, () => KeyValue, "repeated"],
  events: [11, () => SpanEvent, "repeated"],
  links: [13, () => SpanLink, "repeated"],
  status: [15, () => Status],
});
const ScopeSpans = message("ScopeSpans", { scope: [1, () => Scope], spans: [2, () => Span, "repeated"] });
const ResourceSpans = message("ResourceSpans", {
  resource: [1, () => Resource],
  scopeSpans: [2, () => ScopeSpans, "repeated"],
});

const NumberDataPoint = message("NumberDataPoint", {
  timeUnixNano: [3, "nanos"],
  asDouble: [4, "double"],
  asInt: [6, "sfixed64"],
  attributes: [7, () => KeyValue, "repeated"],
  flags: [8, "int32"],
});
const HistogramDataPoint = message("HistogramDataPoint", {
  timeUnixNano: [3, "nanos"],
  count: [4, "fixedCount"],
  sum: [5, "double"],
  bucketCounts: [6, "fixedCount", "repeated"],
  explicitBounds: [7, "double", "repeated"],
  attributes: [9, () => KeyValue, "repeated"],
  flags: [10, "int32"],
});
const Buckets = message("ExponentialHistogramDataPoint.Buckets", {
  offset: [1, "sint32"],
  bucketCounts: [2, "varintCount", "repeated"],
});
const ExponentialHistogramDataPoint = message("ExponentialHistogramDataPoint", {
  attributes: [1, () => KeyValue, "repeated"],
  timeUnixNano: [3, "nanos"],
  count: [4, "fixedCount"],
  sum: [5, "double"],
  scale: [6, "sint32"],
  zeroCount: [7, "fixedCount"],
  positive: [8, () => Buckets],
  negative: [9, () => Buckets],
  flags: [10, "int32"],
  zeroThreshold: [14, "double"],
});
const ValueAtQuantile = message("SummaryDataPoint.ValueAtQuantile", { quantile: [1, "double"], value: [2, "double"] });
const SummaryDataPoint = message("SummaryDataPoint", {
  timeUnixNano: [3, "nanos"],
  count: [4, "fixedCount"],
  sum: [5, "double"],
  quantileValues: [6, () => ValueAtQuantile, "repeated"],
  attributes: [7, () => KeyValue, "repeated"],
  flags: [8, "int32"],
});
const pointsOf = (name: string, point: MessageSchema): MessageSchema =>
  message(name, { dataPoints: [1, () => point, "repeated"], aggregationTemporality: [2, "int32"] });
const Gauge = pointsOf("Gauge", NumberDataPoint);
const Sum = pointsOf("Sum", NumberDataPoint);
const Histogram = pointsOf("Histogram", HistogramDataPoint);
const ExponentialHistogram = pointsOf("ExponentialHistogram", ExponentialHistogramDataPoint);
const Summary = pointsOf("Summary", SummaryDataPoint);
const Metric = message("Metric", {
  name: [1, "string"],
  gauge: [5, () => Gauge],
  sum: [7, () => Sum],
  histogram: [9, () => Histogram],
  exponentialHistogram: [10, () => ExponentialHistogram],
  summary: [11, () => Summary],
});
const ScopeMetrics = message("ScopeMetrics", { scope: [1, () => Scope], metrics: [2, () => Metric, "repeated"] });
const ResourceMetrics = message("ResourceMetrics", {
  resource: [1, () => Resource],
  scopeMetrics: [2, () => ScopeMetrics, "repeated"],
});

/** The request of each service, by its type of telemetry. */
export const REQUESTS = {
  logs: message("ExportLogsServiceRequest", { resourceLogs: [1, () => ResourceLogs, "repeated"] }),
  metrics: message("ExportMetricsServiceRequest", { resourceMetrics: [1, () => ResourceMetrics, "repeated"] }),
  traces: message("ExportTraceServiceRequest", { resourceSpans: [1, () => ResourceSpans, "repeated"] }),
} as const;
