import Type from "typebox";
import { route } from "../route.ts";

/** The address of a protocol that needs a separate port. */
const protocolAddress = (description: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `${description}; null: clients can't reach the server with it`,
  });

export const ServiceAddresses = Type.Object({
  identity_url: Type.String(),
  ingest_url: Type.String(),
  query_url: Type.String(),
  storage_url: Type.String(),
  registry_domain: Type.String(),
  s3_endpoint: Type.String(),
  webhooks_url: Type.String(),
  portal_url: Type.String(),
  otlp_grpc_url: protocolAddress("URL of OTLP/gRPC"),
  syslog_tcp_address: protocolAddress("host:port of syslog over TCP"),
  syslog_tls_address: protocolAddress("host:port of syslog over TLS"),
  syslog_udp_address: protocolAddress("host:port of syslog over UDP"),
});

/** The services of `ServiceAddresses` that answer the JSON API. */
export type ApiService = "identity_url" | "ingest_url" | "query_url" | "storage_url" | "portal_url";

/** The prefixes of each service's paths. All other paths belong to the portal. */
export const SERVICE_PREFIXES: readonly (readonly [prefix: string, service: ApiService])[] = [
  ["/oauth/", "identity_url"],
  ["/v1/ingest/", "ingest_url"],
  ["/otlp/", "ingest_url"],
  ["/v1/query", "query_url"],
  ["/v1/queries", "query_url"],
  ["/v1/tail/", "query_url"],
  ["/v1/upload", "storage_url"],
  ["/v1/files", "storage_url"],
];

export const DISCOVERY_ROUTES = {
  getAddresses: route({
    operationId: "getAddresses",
    method: "GET",
    path: "/.well-known/mooring",
    tag: "discovery",
    summary: "Show the address of each service of this deployment",
    permission: "public",
    publicReason: "clients need it before they have a token",
    result: ServiceAddresses,
    status: 200,
    problems: [],
  }),
  getApiDocument: route({
    operationId: "getApiDocument",
    method: "GET",
    path: "/openapi.json",
    tag: "discovery",
    summary: "Show this document: every operation of the JSON API",
    description: "It is the same for every caller and has an entity tag.",
    permission: "public",
    publicReason:
      "the interface is public; the document contains nothing else about this deployment than its addresses",
    result: Type.Object({
      openapi: Type.String({ description: "version of the OpenAPI specification" }),
      info: Type.Object({ title: Type.String(), version: Type.String({ description: "of the interface" }) }),
      paths: Type.Object({}),
    }),
    status: 200,
    problems: [],
  }),
} as const;
