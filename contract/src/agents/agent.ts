import type { Static } from "typebox";
import type { ServiceAddresses } from "../portal/discovery.ts";

/** The addresses that agents send to, from `GET /.well-known/mooring`. */
export type AgentAddresses = Pick<
  Static<typeof ServiceAddresses>,
  "ingest_url" | "otlp_grpc_url" | "syslog_tcp_address" | "syslog_tls_address" | "syslog_udp_address"
>;

/** An address that a server has only if it listens for the protocol. */
export type ProtocolAddress = Exclude<keyof AgentAddresses, "ingest_url">;

export interface AgentInput {
  readonly addresses: AgentAddresses;
  /** The ingest key, or a placeholder. */
  readonly key: string;
  /** The service of the rows, if the agent does not know it. */
  readonly service: string;
}

export type AgentProtocol = "otlp" | "prometheus" | "loki" | "elasticsearch" | "splunk" | "syslog" | "raw";

/** A program that sends telemetry, with its configuration for this server. */
export interface Agent {
  readonly id: string;
  readonly title: string;
  readonly protocol: AgentProtocol;
  /** The file of the configuration, or where it belongs. */
  readonly file: string;
  /** The language of the configuration, as in a fenced block of Markdown. */
  readonly language: "sh" | "yaml" | "json" | "js" | "py" | "hcl" | "ruby" | "text";
  /** How to use it, and what to change in it. */
  readonly use: string;
  /** The address that the server must have. */
  readonly needs?: ProtocolAddress;
  /** Absent: a test sends with the real agent and this text. Else the documents of the agent that have every option of the text. */
  readonly documents?: readonly string[];
  /** The values contain only characters that mean nothing in these languages, except `[`, `]` and `:`. Call `fillIn`. */
  readonly text: (input: AgentInput) => string;
}

/** A URL in the parts that agents ask for. */
export interface UrlParts {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** Without a slash at its end. */
  readonly path: string;
}

export function partsOf(url: string): UrlParts {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isTls = protocol === "https:";
  return { isTls, host: hostname, port: Number(port) || (isTls ? 443 : 80), path: pathname.replace(/\/+$/, "") };
}

/** Returns a URL with its port. Agents of Elasticsearch would use port 9200 without it. */
export function withPort(url: string): string {
  const { isTls, host, port, path } = partsOf(url);
  return `${isTls ? "https" : "http"}://${host}:${port}${path}`;
}

/** Splits `host:port`. */
export function hostAndPort(address: string | null): { readonly host: string; readonly port: string } {
  if (address === null) return { host: "HOST", port: "PORT" };
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: address.slice(colon + 1) };
}
