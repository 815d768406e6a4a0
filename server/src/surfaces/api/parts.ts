import {
  ALERT_ROUTES,
  BUCKET_ROUTES,
  DISCOVERY_ROUTES,
  FILE_ROUTES,
  ORGANIZATION_ROUTES,
  QUERY_ROUTES,
  REGISTRY_API_ROUTES,
  RUNNING_QUERY_ROUTES,
  SAVED_QUERY_ROUTES,
  TELEMETRY_ROUTES,
  TELEMETRY_SETTINGS_ROUTES,
  USAGE_ROUTES,
  WEBHOOK_ROUTES,
} from "@mooring/contract";
import { HEALTH_ROUTES, type openApiOf } from "#http/index.ts";

export type Rows = Parameters<typeof openApiOf>[0]["rows"];

/** The operations of one document in `openapi/`. */
export interface ApiPart {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The description of each tag of the rows. */
  readonly tags: Readonly<Record<string, string>>;
  readonly rows: Rows;
}

/** The version of the interface, not of the product. Within v1 there are only additions. */
export const API_VERSION = "1.0.0";

const rowsOf = (routes: Readonly<Record<string, Rows[number]>>): Rows => Object.values(routes);

/** The whole JSON API. Protocols that others specify (OAuth, OTLP, S3, OCI, tus) are not in it. */
export const API_PARTS: readonly ApiPart[] = [
  {
    name: "organization",
    title: "Mooring: organization",
    description: "Projects, apps, members, credentials and the audit log of the token's organization.",
    tags: {
      organization: "The organization of the token, its policies and usage.",
      projects: "Projects, and the roles of people in them.",
      apps: "Apps of projects; each has a bucket and an image name.",
      requests: "Refused requests, and what decided them.",
      trash: "Deleted webhooks, images, apps and projects, which can be restored for a time.",
      members: "People of the organization, their roles and invitations.",
      credentials: "Client credentials of programs, and trusted issuers of tokens.",
      s3: "Access keys of the S3 gateway.",
      audit: "The audit log, and the check of its hash chain.",
    },
    rows: [...rowsOf(ORGANIZATION_ROUTES), ...rowsOf(USAGE_ROUTES)],
  },
  {
    name: "telemetry",
    title: "Mooring: telemetry ingestion",
    description: "Logs, metrics and traces, durable when answered.",
    tags: { telemetry: "Logs, metrics and traces: ingestion, live tail, retention, erasure." },
    rows: rowsOf(TELEMETRY_ROUTES),
  },
  {
    name: "telemetry-settings",
    title: "Mooring: telemetry settings",
    description: "Retention and erasure of the organization's telemetry.",
    tags: { telemetry: "Logs, metrics and traces: ingestion, live tail, retention, erasure." },
    rows: rowsOf(TELEMETRY_SETTINGS_ROUTES),
  },
  {
    name: "query",
    title: "Mooring: query",
    description: "Read-only SQL over the organization's telemetry.",
    tags: {
      query: "Read-only SQL over the organization's telemetry.",
      queries: "The queries that wait or run.",
      "saved queries": "Saved queries of projects and people.",
    },
    rows: [...rowsOf(QUERY_ROUTES), ...rowsOf(RUNNING_QUERY_ROUTES), ...rowsOf(SAVED_QUERY_ROUTES)],
  },
  {
    name: "alerts",
    title: "Mooring: alerts",
    description: "Alerts on saved queries, and the signed webhooks that they send.",
    tags: { alerts: "Alerts on saved queries, and the signed messages that they send." },
    rows: rowsOf(ALERT_ROUTES),
  },
  {
    name: "files",
    title: "Mooring: file storage",
    description: "Files of any size by presigned URLs.",
    tags: { files: "Files of any size by presigned URLs." },
    rows: rowsOf(FILE_ROUTES),
  },
  {
    name: "buckets",
    title: "Mooring: buckets",
    description: "The objects of buckets, for people. Programs use S3.",
    tags: { buckets: "The objects of buckets, for people. Programs use S3." },
    rows: rowsOf(BUCKET_ROUTES),
  },
  {
    name: "registry",
    title: "Mooring: container images",
    description:
      "Images and tags of the container registry, and rules for them. Clients push and pull images by the OCI distribution interface.",
    tags: { registry: "Images and tags of the container registry, and rules for them." },
    rows: rowsOf(REGISTRY_API_ROUTES),
  },
  {
    name: "webhooks",
    title: "Mooring: incoming webhooks",
    description:
      "Addresses that accept events, and the events. The address for senders, POST /hooks/{token}, accepts any request.",
    tags: { webhooks: "Addresses that accept events, the events, and their destinations." },
    rows: rowsOf(WEBHOOK_ROUTES),
  },
  {
    name: "discovery",
    title: "Mooring: discovery",
    description: "The address of each service.",
    tags: { discovery: "The address of each service, and this document." },
    rows: rowsOf(DISCOVERY_ROUTES),
  },
  {
    name: "health",
    title: "Mooring: health",
    description: "For load balancers and orchestrators.",
    tags: { health: "For load balancers and orchestrators." },
    rows: rowsOf(HEALTH_ROUTES),
  },
];
