import { credentialEnvironment, PLACEHOLDERS, tokenCommand, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for OTLP/HTTP: an SDK with environment variables, and a Collector, which gets tokens itself. */
export function openTelemetrySnippets(input: SnippetInput): readonly Snippet[] {
  return [credentialEnvironment(input), sdkEnvironment(input), collector(input), runCollector()];
}

function sdkEnvironment(input: SnippetInput): Snippet {
  const { addresses, app } = input;
  const service = app === PLACEHOLDERS.app ? "my-service" : app;
  return {
    title: "SDK: environment variables",
    about:
      "Every OpenTelemetry SDK reads these. The token is valid for 15 minutes, which is enough for short jobs. For services, use a Collector.",
    text: [
      tokenCommand(addresses),
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${addresses.ingest_url}/otlp`,
      "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
      'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$TOKEN"',
      `export OTEL_SERVICE_NAME=${service}`,
    ].join("\n"),
  };
}

function collector({ addresses, clientId }: SnippetInput): Snippet {
  return {
    title: "Collector: collector.yaml",
    about:
      "The Collector renews its token itself, and reads the secret from the environment. Programs send to it at 127.0.0.1:4318.",
    text: `extensions:
  oauth2client:
    client_id: ${clientId}
    client_secret: \${env:MOORING_CLIENT_SECRET}
    token_url: ${addresses.identity_url}/oauth/token
    scopes: ["telemetry:write"]

receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:4318

processors:
  batch:
    send_batch_size: 1000
    send_batch_max_size: 1000

exporters:
  otlphttp:
    endpoint: ${addresses.ingest_url}/otlp
    compression: gzip
    auth:
      authenticator: oauth2client

service:
  extensions: [oauth2client]
  pipelines:
    logs: { receivers: [otlp], processors: [batch], exporters: [otlphttp] }
    metrics: { receivers: [otlp], processors: [batch], exporters: [otlphttp] }
    traces: { receivers: [otlp], processors: [batch], exporters: [otlphttp] }
`,
  };
}

function runCollector(): Snippet {
  return {
    title: "Collector: run it",
    about: "`-e NAME` passes the variable on without its value on the command line.",
    text: [
      "docker run --rm --network host -e MOORING_CLIENT_SECRET \\",
      '  -v "$PWD/collector.yaml:/etc/otelcol-contrib/config.yaml:ro" otel/opentelemetry-collector-contrib',
    ].join("\n"),
  };
}
