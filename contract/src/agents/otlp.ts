import { partsOf, type Agent, type AgentInput } from "./agent.ts";

const VARIABLES = "SDKs and automatic instrumentations of all languages read these variables.";

/** Starts the receivers of programs on this machine. Mooring itself may use the port 4317. */
const RECEIVERS = `receivers:
  otlp:
    protocols:
      http: { endpoint: "127.0.0.1:4318" }
processors:
  batch: {}
`;

export const OTLP_AGENTS: readonly Agent[] = [
  {
    id: "otel-http",
    title: "OpenTelemetry SDK, over HTTP",
    protocol: "otlp",
    file: "environment of your program",
    language: "sh",
    use: VARIABLES,
    text: (input) => variables(input, "http/protobuf", `${input.addresses.ingest_url}/otlp`),
  },
  {
    id: "otel-grpc",
    title: "OpenTelemetry SDK, over gRPC",
    protocol: "otlp",
    file: "environment of your program",
    language: "sh",
    use: `${VARIABLES} For the SDK of Go, add OTEL_EXPORTER_OTLP_TIMEOUT=30000: its first retry may come after 7.5 s, and the default limit is 10 s.`,
    needs: "otlp_grpc_url",
    text: (input) => variables(input, "grpc", input.addresses.otlp_grpc_url ?? "URL"),
  },
  {
    id: "collector-http",
    title: "OpenTelemetry Collector, over HTTP",
    protocol: "otlp",
    file: "collector.yaml",
    language: "yaml",
    use: "Start it with `otelcol --config collector.yaml`. Programs send to it at 127.0.0.1:4318. From version 0.144 on, the exporter has the name otlp_http, and otlphttp is deprecated.",
    text: ({ addresses, key }) =>
      collector(
        "otlphttp",
        `    endpoint: "${addresses.ingest_url}/otlp"
    headers: { authorization: "Bearer ${key}" }`,
      ),
  },
  {
    id: "collector-grpc",
    title: "OpenTelemetry Collector, over gRPC",
    protocol: "otlp",
    file: "collector.yaml",
    language: "yaml",
    use: "Start it with `otelcol --config collector.yaml`. Programs send to it at 127.0.0.1:4318. Newer versions name the exporter otlp_grpc, and otlp is deprecated.",
    needs: "otlp_grpc_url",
    text: ({ addresses, key }) => {
      const { isTls, host, port } = partsOf(addresses.otlp_grpc_url ?? "http://HOST");
      return collector(
        "otlp",
        `    endpoint: "${host}:${port}"
    headers: { authorization: "Bearer ${key}" }
    tls: { insecure: ${!isTls} }`,
      );
    },
  },
  {
    id: "otel-web",
    title: "OpenTelemetry in a web page",
    protocol: "otlp",
    file: "a module of the page",
    language: "js",
    use: "Needs the packages @opentelemetry/exporter-trace-otlp-http and @opentelemetry/sdk-trace, and a bundler. Everybody who opens the page can read the key: create a separate key with the origins of your pages and a rate.",
    text: ({ addresses, key }) => `import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

const exporter = new OTLPTraceExporter({
  url: "${addresses.ingest_url}/otlp/v1/traces",
  headers: { authorization: "Bearer ${key}" },
});
export const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
export const tracer = provider.getTracer("page");
`,
  },
];

function variables({ key, service }: AgentInput, protocol: string, endpoint: string): string {
  return `export OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}
export OTEL_EXPORTER_OTLP_ENDPOINT="${endpoint}"
export OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${key}
export OTEL_EXPORTER_OTLP_COMPRESSION=gzip
export OTEL_SERVICE_NAME=${service}
`;
}

/** Without a time limit for retries, the queue survives gaps of any length while the Collector runs and has room. */
function collector(exporter: string, options: string): string {
  const pipeline = `{ receivers: [otlp], processors: [batch], exporters: [${exporter}] }`;
  return `${RECEIVERS}exporters:
  ${exporter}:
${options}
    retry_on_failure: { max_elapsed_time: 0s }
service:
  pipelines:
    logs: ${pipeline}
    metrics: ${pipeline}
    traces: ${pipeline}
`;
}
