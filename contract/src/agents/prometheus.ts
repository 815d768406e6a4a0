import type { Agent } from "./agent.ts";

export const PROMETHEUS_AGENTS: readonly Agent[] = [
  {
    id: "prometheus",
    title: "Prometheus, remote write 1.0",
    protocol: "prometheus",
    file: "prometheus.yml",
    language: "yaml",
    use: "Add it to the configuration, then reload Prometheus.",
    text: ({ addresses, key }) => `remote_write:
  - url: "${addresses.ingest_url}/prometheus/api/v1/write"
    authorization: { credentials: "${key}" }
`,
  },
  {
    id: "prometheus-2",
    title: "Prometheus, remote write 2.0",
    protocol: "prometheus",
    file: "prometheus.yml",
    language: "yaml",
    use: "For Prometheus 3. The requests are smaller. With `--enable-feature=metadata-wal-records` it also sends types and units.",
    documents: [
      "https://prometheus.io/docs/prometheus/latest/configuration/configuration/#remote_write",
      "https://prometheus.io/docs/prometheus/latest/feature_flags/#metadata-wal-records",
    ],
    text: ({ addresses, key }) => `remote_write:
  - url: "${addresses.ingest_url}/prometheus/api/v1/write"
    protobuf_message: io.prometheus.write.v2.Request
    authorization: { credentials: "${key}" }
`,
  },
  {
    id: "alloy-metrics",
    title: "Grafana Alloy, metrics",
    protocol: "prometheus",
    file: "config.alloy",
    language: "hcl",
    use: "Let your scrapers send to it: forward_to = [prometheus.remote_write.mooring.receiver].",
    documents: [
      "https://grafana.com/docs/alloy/latest/reference/components/prometheus/prometheus.remote_write/",
      "https://grafana.com/docs/alloy/latest/reference/components/prometheus/prometheus.scrape/",
    ],
    text: ({ addresses, key }) => `prometheus.remote_write "mooring" {
  endpoint {
    url          = "${addresses.ingest_url}/prometheus/api/v1/write"
    bearer_token = "${key}"
  }
}

prometheus.scrape "programs" {
  targets    = [{ __address__ = "127.0.0.1:9100" }]
  forward_to = [prometheus.remote_write.mooring.receiver]
}
`,
  },
];
