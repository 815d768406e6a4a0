"""Sends by OpenTelemetry's SDK, which is configured by environment variables alone.

For each line of the input, a name: sends logs, a span and a metric with that name, and prints the name when the SDK
reports that it has sent everything, or "lost" when it has given up.
"""

import logging
import os
import sys

from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

logging.basicConfig(stream=sys.stderr)

logs = LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
traces = TracerProvider()
traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
metrics = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter(), export_interval_millis=3_600_000)])

logger = logs.get_logger("sender", "1.0")
tracer = traces.get_tracer("sender")
counter = metrics.get_meter("sender").create_counter("orders")
gauge = metrics.get_meter("sender").create_gauge("stock")

LEVELS = {"debug": SeverityNumber.DEBUG, "info": SeverityNumber.INFO, "error": SeverityNumber.ERROR}

for line in sys.stdin:
    name = line.strip()
    for level, number in LEVELS.items():
        logger.emit(
            severity_number=number,
            severity_text=level,
            body=f"{name} {level}",
            attributes={"name": name, "count": 3, "ratio": 0.5, "tags": ["a", "b"]},
        )
    with tracer.start_as_current_span(f"span {name}", attributes={"name": name}):
        pass
    counter.add(1, {"name": name})
    gauge.set(42.5, {"name": name})
    done = [provider.force_flush(30_000) for provider in (logs, traces, metrics)]
    print(name if all(done) else f"lost {name}", flush=True)
