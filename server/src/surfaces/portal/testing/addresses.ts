/** One of the addresses contains markup. */
export const ADDRESSES = {
  identity_url: "https://id.example",
  ingest_url: "https://in.example",
  query_url: 'https://sql.example/"><script>alert(1)</script>',
  storage_url: "https://files.example",
  registry_domain: "registry.example",
  s3_endpoint: "https://s3.example",
  webhooks_url: "https://hooks.example",
  portal_url: "https://portal.example",
  otlp_grpc_url: "https://in.example:4317",
  syslog_tcp_address: null,
  syslog_tls_address: "in.example:6514",
  syslog_udp_address: null,
};
