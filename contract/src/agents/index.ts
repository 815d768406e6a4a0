import type { Agent, AgentAddresses, AgentInput, AgentProtocol } from "./agent.ts";
import { ELASTICSEARCH_AGENTS } from "./elasticsearch.ts";
import { LOKI_AGENTS } from "./loki.ts";
import { OTLP_AGENTS } from "./otlp.ts";
import { PROMETHEUS_AGENTS } from "./prometheus.ts";
import { RAW_AGENTS } from "./raw.ts";
import { SPLUNK_AGENTS } from "./splunk.ts";
import { SYSLOG_AGENTS } from "./syslog.ts";

export { type Agent, type AgentAddresses, type AgentInput, type AgentProtocol } from "./agent.ts";

/** The protocols in the order of the list, with their page below docs/reference. */
export const AGENT_PROTOCOLS: Readonly<Record<AgentProtocol, { readonly title: string; readonly page: string }>> = {
  otlp: { title: "OpenTelemetry", page: "otlp.md" },
  prometheus: { title: "Prometheus remote write", page: "prometheus.md" },
  loki: { title: "Loki push", page: "loki.md" },
  elasticsearch: { title: "Elasticsearch bulk", page: "elasticsearch.md" },
  splunk: { title: "Splunk HEC", page: "splunk.md" },
  syslog: { title: "Syslog", page: "syslog.md" },
  raw: { title: "Lines and JSON", page: "raw-lines.md" },
};

/** Every agent that has a ready configuration. The portal shows them, tests run them, and docs/how-to/connect-an-agent.md lists them. */
export const AGENTS: readonly Agent[] = [
  ...OTLP_AGENTS,
  ...PROMETHEUS_AGENTS,
  ...LOKI_AGENTS,
  ...ELASTICSEARCH_AGENTS,
  ...SPLUNK_AGENTS,
  ...SYSLOG_AGENTS,
  ...RAW_AGENTS,
];

/** Stands for a key whose secret is not known. */
export const INGEST_KEY_PLACEHOLDER = "INGEST_KEY";

/** Stands for a service that is not known. */
export const SERVICE_PLACEHOLDER = "my-service";

/** Whether the server has the address that an agent needs. */
export function canConnect({ needs }: Agent, addresses: AgentAddresses): boolean {
  return needs === undefined || typeof addresses[needs] === "string";
}

/**
 * Returns the configuration of an agent. People paste it into shells and files, so no value can be more than a word
 * there: a key or service with other characters is left out, and those of addresses are percent-encoded.
 */
export function fillIn(agent: Agent, { addresses, key, service }: AgentInput): string {
  const { ingest_url, otlp_grpc_url, syslog_tcp_address, syslog_tls_address, syslog_udp_address } = addresses;
  const word = (text: string, otherwise: string): string => (/^\w[\w.-]{0,99}$/.test(text) ? text : otherwise);
  return agent.text({
    addresses: {
      ingest_url: encoded(ingest_url),
      otlp_grpc_url: otlp_grpc_url && encoded(otlp_grpc_url),
      syslog_tcp_address: syslog_tcp_address && encoded(syslog_tcp_address),
      syslog_tls_address: syslog_tls_address && encoded(syslog_tls_address),
      syslog_udp_address: syslog_udp_address && encoded(syslog_udp_address),
    },
    key: word(key, INGEST_KEY_PLACEHOLDER),
    service: word(service, SERVICE_PLACEHOLDER),
  });
}

/** Percent-encodes the characters that few addresses have, because they have a meaning in a shell or a file. */
function encoded(address: string): string {
  return address.replaceAll(/[^\w./:%[\]-]/gu, (character) =>
    /[!'()*~]/.test(character)
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(character),
  );
}
