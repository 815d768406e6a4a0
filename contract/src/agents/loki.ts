import { partsOf, type Agent } from "./agent.ts";

export const LOKI_AGENTS: readonly Agent[] = [
  {
    id: "alloy",
    title: "Grafana Alloy, logs",
    protocol: "loki",
    file: "config.alloy",
    language: "hcl",
    use: "Change the path of the files, then reload Alloy. Without max_backoff_retries, it drops a batch after 10 retries, which take 8.5 minutes.",
    documents: [
      "https://grafana.com/docs/alloy/latest/reference/components/loki/loki.write/",
      "https://grafana.com/docs/alloy/latest/reference/components/loki/loki.source.file/",
      "https://grafana.com/docs/alloy/latest/reference/components/local/local.file_match/",
    ],
    text: ({ addresses, key, service }) => `loki.write "mooring" {
  endpoint {
    url                 = "${addresses.ingest_url}/loki/api/v1/push"
    bearer_token        = "${key}"
    max_backoff_retries = 100
  }
}

local.file_match "files" {
  path_targets = [{ __path__ = "/var/log/*.log", service_name = "${service}" }]
}

loki.source.file "files" {
  targets    = local.file_match.files.targets
  forward_to = [loki.write.mooring.receiver]
}
`,
  },
  {
    id: "promtail",
    title: "Promtail",
    protocol: "loki",
    file: "promtail.yaml",
    language: "yaml",
    use: "Start it with `promtail -config.file=promtail.yaml`. Without max_retries, it drops a batch after 10 retries, which take 8.5 minutes. Promtail has reached its end of life: Alloy replaces it.",
    documents: ["https://grafana.com/docs/loki/latest/send-data/promtail/configuration/"],
    text: ({ addresses, key, service }) => `server: { disable: true }
positions:
  filename: /var/lib/promtail/positions.yaml
clients:
  - url: "${addresses.ingest_url}/loki/api/v1/push"
    basic_auth: { username: any, password: "${key}" }
    backoff_config: { max_retries: 100 }
scrape_configs:
  - job_name: files
    static_configs:
      - targets: [localhost]
        labels: { service_name: "${service}", __path__: "/var/log/*.log" }
`,
  },
  {
    id: "fluent-bit",
    title: "Fluent Bit",
    protocol: "loki",
    file: "fluent-bit.yaml",
    language: "yaml",
    use: "Start it with `fluent-bit -c fluent-bit.yaml`. Without retry_limit, it drops a chunk after one retry.",
    documents: [
      "https://docs.fluentbit.io/manual/data-pipeline/outputs/loki",
      "https://docs.fluentbit.io/manual/data-pipeline/inputs/tail",
      "https://docs.fluentbit.io/manual/administration/scheduling-and-retries",
      "https://docs.fluentbit.io/manual/administration/configuring-fluent-bit/yaml/service-section",
    ],
    text: ({ addresses, key, service }) => {
      const { isTls, host, port, path } = partsOf(addresses.ingest_url);
      return `service:
  flush: 1
  storage.path: /var/lib/fluent-bit
pipeline:
  inputs:
    - name: tail
      path: /var/log/*.log
      db: /var/lib/fluent-bit/tail.db
      storage.type: filesystem
  outputs:
    - name: loki
      match: "*"
      host: "${host}"
      port: ${port}
      tls: ${isTls ? "on" : "off"}
      uri: "${path}/loki/api/v1/push"
      http_user: any
      http_passwd: "${key}"
      labels: "service_name=${service}"
      line_format: json
      drop_single_key: raw
      compress: gzip
      retry_limit: no_limits
`;
    },
  },
  {
    id: "vector",
    title: "Vector",
    protocol: "loki",
    file: "vector.yaml",
    language: "yaml",
    use: "Start it with `vector --config vector.yaml`. The buffer on the disk keeps rows while the server is away.",
    documents: [
      "https://vector.dev/docs/reference/configuration/sinks/loki/",
      "https://vector.dev/docs/reference/configuration/sources/file/",
    ],
    text: ({ addresses, key, service }) => `data_dir: /var/lib/vector
sources:
  files:
    type: file
    include: ["/var/log/*.log"]
sinks:
  mooring:
    type: loki
    inputs: [files]
    endpoint: "${addresses.ingest_url}"
    auth: { strategy: bearer, token: "${key}" }
    labels: { service_name: "${service}" }
    encoding: { codec: json }
    buffer: { type: disk, max_size: 268435488 }
`,
  },
  {
    id: "pino-loki",
    title: "pino, with pino-loki",
    protocol: "loki",
    file: "a module of your program",
    language: "js",
    use: "Needs the packages pino and pino-loki. It does not retry: rows that it sends while the server is away are lost.",
    text: ({ addresses, key, service }) => `const pino = require("pino");

const transport = pino.transport({
  target: "pino-loki",
  options: {
    host: "${addresses.ingest_url}",
    basicAuth: { username: "any", password: "${key}" },
    labels: { service_name: "${service}" },
    batching: { interval: 1 },
  },
});
const logger = pino(transport);
`,
  },
  {
    id: "winston-loki",
    title: "winston, with winston-loki",
    protocol: "loki",
    file: "a module of your program",
    language: "js",
    use: "Needs the packages winston and winston-loki. It keeps rows in memory while the server is away, and tries again after a minute.",
    text: ({ addresses, key, service }) => `const winston = require("winston");
const LokiTransport = require("winston-loki");

const transport = new LokiTransport({
  host: "${addresses.ingest_url}",
  basicAuth: "any:${key}",
  labels: { service_name: "${service}" },
  json: true,
  format: winston.format.json(),
  onConnectionError: (error) => console.error(error),
});
const logger = winston.createLogger({ transports: [transport] });
`,
  },
  {
    id: "python-loki",
    title: "Python's logging, with python-logging-loki",
    protocol: "loki",
    file: "a module of your program",
    language: "py",
    use: "Needs the package python-logging-loki. It sends each record when it is logged, and does not retry.",
    text: ({ addresses, key, service }) => `import logging

import logging_loki

handler = logging_loki.LokiHandler(
    url="${addresses.ingest_url}/loki/api/v1/push",
    auth=("any", "${key}"),
    tags={"service_name": "${service}"},
    version="1",
)
logger = logging.getLogger("${service}")
logger.addHandler(handler)
`,
  },
];
