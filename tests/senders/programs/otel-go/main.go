// Sends by OpenTelemetry's SDK, which is configured by environment variables alone.
//
// For each line of the input, a name: sends logs, a span and a metric with that name, and prints the name when the SDK
// reports that it has sent everything, or "lost" when it has given up.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

type exporters struct {
	logs    sdklog.Exporter
	metrics sdkmetric.Exporter
	traces  *otlptrace.Exporter
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func exportersOf(ctx context.Context, protocol string) exporters {
	if protocol == "grpc" {
		return exporters{must(otlploggrpc.New(ctx)), must(otlpmetricgrpc.New(ctx)), must(otlptracegrpc.New(ctx))}
	}
	return exporters{must(otlploghttp.New(ctx)), must(otlpmetrichttp.New(ctx)), must(otlptracehttp.New(ctx))}
}

func main() {
	ctx := context.Background()
	to := exportersOf(ctx, os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	logs := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(to.logs)))
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(to.traces))
	reader := sdkmetric.NewPeriodicReader(to.metrics, sdkmetric.WithInterval(time.Hour))
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	counter := must(metrics.Meter("sender").Int64Counter("orders"))
	gauge := must(metrics.Meter("sender").Float64Gauge("stock"))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		name := lines.Text()
		emit(ctx, logs.Logger("sender"), name)
		_, span := traces.Tracer("sender").Start(ctx, "span "+name, trace.WithAttributes(attribute.String("name", name)))
		span.End()
		counter.Add(ctx, 1, metric.WithAttributes(attribute.String("name", name)))
		gauge.Record(ctx, 42.5, metric.WithAttributes(attribute.String("name", name)))
		lost := false
		for _, flush := range []func(context.Context) error{logs.ForceFlush, traces.ForceFlush, metrics.ForceFlush} {
			if err := flush(ctx); err != nil {
				fmt.Fprintln(os.Stderr, err)
				lost = true
			}
		}
		if lost {
			name = "lost " + name
		}
		fmt.Println(name)
	}
}

func emit(ctx context.Context, logger log.Logger, name string) {
	levels := map[string]log.Severity{"debug": log.SeverityDebug, "info": log.SeverityInfo, "error": log.SeverityError}
	for level, severity := range levels {
		var record log.Record
		record.SetTimestamp(time.Now())
		record.SetSeverity(severity)
		record.SetSeverityText(level)
		record.SetBody(attribute.StringValue(name + " " + level))
		record.AddAttributes(attribute.String("name", name), attribute.Int("count", 3), attribute.Float64("ratio", 0.5))
		record.AddAttributes(attribute.StringSlice("tags", []string{"a", "b"}))
		logger.Emit(ctx, record)
	}
}
