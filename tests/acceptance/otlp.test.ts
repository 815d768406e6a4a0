/** POST /otlp/v1/{logs,metrics,traces}: OpenTelemetry's own exporters send, and SQL finds the data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtoLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtoMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { useSharedServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

const shared = useSharedServer();

interface Target {
  readonly url: string;
  readonly headers: () => Promise<Record<string, string>>;
  readonly compression: CompressionAlgorithm;
}

function target(type: string, compression = CompressionAlgorithm.NONE): Target {
  // As in a long-running program: a token expires after 15 minutes, so the exporter gets the current one each time.
  const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${shared.token}` });
  return { url: `${shared.server.origin}/otlp/v1/${type}`, headers, compression };
}

const EXPORTERS = [
  { name: "JSON", Logs: JsonLogs, Metrics: JsonMetrics, Traces: JsonTraces, compression: CompressionAlgorithm.NONE },
  {
    name: "protobuf",
    Logs: ProtoLogs,
    Metrics: ProtoMetrics,
    Traces: ProtoTraces,
    compression: CompressionAlgorithm.NONE,
  },
  { name: "gzip", Logs: ProtoLogs, Metrics: ProtoMetrics, Traces: ProtoTraces, compression: CompressionAlgorithm.GZIP },
] as const;

for (const { name, Logs, Metrics, Traces, compression } of EXPORTERS) {
  const service = `shop-${name}`;
  const resource = resourceFromAttributes({ "service.name": service, "host.cpus": 2 });

  test(`logs by the exporter, ${name}`, async () => {
    const exporter = new Logs(target("logs", compression));
    const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] });
    provider.getLogger("checkout", "1.2.0").emit({
      timestamp: new Date("2026-11-20T08:00:00.125Z"),
      severityNumber: 17,
      severityText: "ERROR",
      body: { text: "grüße", at: [1, true] },
      attributes: { order: "ord_1", total: 49.9, big: 2 ** 40, tags: ["a", "b"] },
    });
    await provider.shutdown();
    const found = await rows(
      shared.server,
      shared.token,
      "select timestamp, level, severity, message, service, attributes->>'order' as order_id, attributes->>'big' as big, " +
        "attributes->'tags'->>1 as tag, attributes->>'scope.name' as scope, attributes->>'resource.host.cpus' as cpus " +
        "from logs where service = $1",
      { parameters: [service] },
    );
    const [{ timestamp, ...row } = {}] = found;
    assert.equal(found.length, 1);
    assert.equal(Date.parse(String(timestamp)), Date.parse("2026-11-20T08:00:00.125Z"));
    assert.deepEqual(row, {
      level: "ERROR",
      severity: 17,
      message: '{"text":"grüße","at":[1,true]}',
      service,
      order_id: "ord_1",
      big: String(2 ** 40),
      tag: "b",
      scope: "checkout",
      cpus: "2",
    });
  });

  test(`spans by the exporter, ${name}`, async () => {
    const exporter = new Traces(target("traces", compression));
    const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const tracer = provider.getTracer("checkout");
    const parent = tracer.startSpan("GET /orders", { kind: SpanKind.SERVER, startTime: new Date(1_700_000_000_000) });
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    const child = tracer.startSpan(
      "select",
      { kind: SpanKind.CLIENT, startTime: new Date(1_700_000_000_010) },
      context,
    );
    child.addEvent("retry", { attempt: 2 });
    child.setStatus({ code: SpanStatusCode.ERROR, message: "timed out" });
    child.end(new Date(1_700_000_000_260));
    parent.end(new Date(1_700_000_000_500));
    await provider.shutdown();
    const found = await rows(
      shared.server,
      shared.token,
      "select trace_id, span_id, parent_span_id, name, kind, status, duration_ms, attributes->>'status.message' as message, " +
        "attributes->'events' as events from traces where service = $1 order by timestamp",
      { parameters: [service] },
    );
    const { traceId } = parent.spanContext();
    const common = { trace_id: traceId };
    assert.equal(found.length, 2);
    const [root, leaf] = found;
    assert.deepEqual(root, {
      ...common,
      span_id: parent.spanContext().spanId,
      parent_span_id: null,
      name: "GET /orders",
      kind: "server",
      status: "ok",
      duration_ms: 500,
      message: null,
      events: null,
    });
    assert.deepEqual(
      [leaf?.["parent_span_id"], leaf?.["kind"], leaf?.["status"]],
      [root?.["span_id"], "client", "error"],
    );
    assert.deepEqual([leaf?.["duration_ms"], leaf?.["message"]], [250, "timed out"]);
    const events = leaf?.["events"] as Record<string, unknown>[] | undefined;
    const event = events?.[0];
    assert.deepEqual([event?.["name"], event?.["attributes"]], ["retry", { attempt: 2 }]);
  });

  test(`metrics by the exporter, ${name}`, async () => {
    const exporter = new Metrics(target("metrics", compression));
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const views = [{ instrumentName: "exp", aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const }];
    const provider = new MeterProvider({ resource, readers: [reader], views });
    const meter = provider.getMeter("checkout");
    meter.createCounter("orders").add(3, { region: "eu" });
    meter.createGauge("load").record(0.25);
    const histogram = meter.createHistogram("latency", { advice: { explicitBucketBoundaries: [10, 100] } });
    for (const value of [5, 50, 500]) histogram.record(value);
    const exponential = meter.createHistogram("exp");
    for (const value of [0, 1, 4]) exponential.record(value);
    await provider.shutdown();
    const found = await rows(
      shared.server,
      shared.token,
      "select name, value, tags['le'] as le, tags['region'] as region from metrics where tags['service.name'] = $1",
      { parameters: [service] },
    );
    const valueOf = (metric: string, le: string | null = null): unknown =>
      found.find((row) => row["name"] === metric && row["le"] === le)?.["value"];
    assert.deepEqual([valueOf("orders"), valueOf("load")], [3, 0.25]);
    assert.equal(found.find((row) => row["name"] === "orders")?.["region"], "eu");
    assert.deepEqual([valueOf("latency_count"), valueOf("latency_sum")], [3, 555]);
    assert.deepEqual(
      ["10", "100", "+Inf"].map((le) => valueOf("latency_bucket", le)),
      [1, 2, 3],
    );
    assert.deepEqual([valueOf("exp_count"), valueOf("exp_sum"), valueOf("exp_bucket", "0")], [3, 5, 1]);
    assert.equal(valueOf("exp_bucket", "+Inf"), 3);
  });
}

test("an export as with curl: JSON with zstd, and the answer", async () => {
  const record = { timeUnixNano: "1763625600000000000", severityNumber: 9, body: { stringValue: "hello" } };
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  const response = await fetch(target("logs").url, {
    method: "POST",
    headers: { ...(await target("logs").headers()), "content-type": "application/json", "content-encoding": "zstd" },
    body: new Uint8Array(zstdCompressSync(JSON.stringify(request))),
  });
  assert.deepEqual([response.status, await response.text()], [200, "{}"]);
  const [row] = await rows(shared.server, shared.token, "select level, severity from logs where message = 'hello'");
  assert.deepEqual(row, { level: "info", severity: 9 });
});
