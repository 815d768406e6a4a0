import type { SyslogTransport } from "#surfaces/telemetry/index.ts";
import type { Config } from "./config.ts";

/** The address of each service of this deployment. */
export interface Addresses {
  readonly identity_url: string;
  readonly ingest_url: string;
  readonly query_url: string;
  readonly storage_url: string;
  readonly registry_domain: string;
  readonly s3_endpoint: string;
  readonly webhooks_url: string;
  readonly portal_url: string;
  /** Null, here and below: clients can't reach the server with the protocol. */
  readonly otlp_grpc_url: string | null;
  readonly syslog_tcp_address: string | null;
  readonly syslog_tls_address: string | null;
  readonly syslog_udp_address: string | null;
}

/** The listening addresses, each as `host:port`. */
export interface Bound {
  readonly listen: string;
  readonly s3Listen: string;
  readonly grpcListen?: string | null;
  readonly syslog?: Partial<Record<SyslogTransport, string>>;
}

/** Returns the configured addresses. Those that are not configured follow from the listening addresses. */
export function addressesOf(config: Config, bound: Bound): Addresses {
  const { listen, s3Listen, grpcListen, syslog = {} } = bound;
  const origin = `${config.tls_cert === null ? "http" : "https"}://${listen}`;
  const s3Origin = `${config.s3_tls_cert === null ? "http" : "https"}://${s3Listen}`;
  const of = (url: string | null): string => (url ?? origin).replace(/\/+$/, "");
  const ingestUrl = of(config.ingest_url);
  return {
    identity_url: of(config.identity_url),
    ingest_url: ingestUrl,
    query_url: of(config.query_url),
    storage_url: of(config.storage_url),
    registry_domain: config.registry_domain ?? listen,
    s3_endpoint: (config.s3_endpoint ?? s3Origin).replace(/\/+$/, ""),
    webhooks_url: of(config.webhooks_url),
    portal_url: of(config.portal_url),
    otlp_grpc_url: grpcUrl(config, grpcListen, new URL(ingestUrl)),
    syslog_tcp_address: reachable(syslog.tcp, new URL(ingestUrl)),
    syslog_tls_address: reachable(syslog.tls, new URL(ingestUrl)),
    syslog_udp_address: reachable(syslog.udp, new URL(ingestUrl)),
  };
}

/** With TLS, the main address accepts the calls, too. */
function grpcUrl(config: Config, grpcListen: string | null | undefined, ingest: URL): string | null {
  const address = reachable(grpcListen, ingest);
  if (config.tls_cert === null) return address === null ? null : `http://${address}`;
  if (address !== null) return `https://${address}`;
  return ingest.protocol === "https:" ? ingest.origin : null;
}

/**
 * Returns the address for clients. A wildcard is replaced by the host of the ingest URL. A loopback address is of use
 * only if the ingest URL has one, too.
 */
function reachable(listen: string | null | undefined, ingest: URL): string | null {
  if (listen === null || listen === undefined) return null;
  const [host = ""] = listen.split(/:(?=\d+$)/);
  if (isLoopback(host) && !isLoopback(ingest.hostname)) return null;
  return listen.replace(/^(?:0\.0\.0\.0|\[::\])(?=:\d+$)/, ingest.hostname);
}

/** Whether a host of a URL is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || host.startsWith("127.");
}
