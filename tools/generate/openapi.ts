import {
  ALERT_ROUTES,
  BUCKET_ROUTES,
  DISCOVERY_ROUTES,
  FILE_ROUTES,
  ORGANIZATION_ROUTES,
  QUERY_ROUTES,
  REGISTRY_API_ROUTES,
  SAVED_QUERY_ROUTES,
  TELEMETRY_ROUTES,
  TELEMETRY_SETTINGS_ROUTES,
  USAGE_ROUTES,
  WEBHOOK_ROUTES,
} from "@mooring/contract";
import { HEALTH_ROUTES, openApiOf } from "../../server/src/http/index.ts";
import type { Generated } from "./generated-file.ts";

type Rows = Parameters<typeof openApiOf>[0]["rows"];

const rowsOf = (routes: Readonly<Record<string, Rows[number]>>): Rows => Object.values(routes);

const SURFACES: readonly { name: string; title: string; description: string; rows: Rows }[] = [
  {
    name: "organization",
    title: "Mooring: organization",
    description: "Projects, apps, members, credentials and the audit log of the token's organization.",
    rows: [...rowsOf(ORGANIZATION_ROUTES), ...rowsOf(USAGE_ROUTES)],
  },
  {
    name: "telemetry",
    title: "Mooring: telemetry ingestion",
    description: "Logs, metrics and traces, durable when answered.",
    rows: rowsOf(TELEMETRY_ROUTES),
  },
  {
    name: "telemetry-settings",
    title: "Mooring: telemetry settings",
    description: "How long and how much of the organization's telemetry is kept, and how some of it is erased.",
    rows: rowsOf(TELEMETRY_SETTINGS_ROUTES),
  },
  {
    name: "query",
    title: "Mooring: query",
    description: "Read-only SQL over the organization's telemetry.",
    rows: [...rowsOf(QUERY_ROUTES), ...rowsOf(SAVED_QUERY_ROUTES)],
  },
  {
    name: "alerts",
    title: "Mooring: alerts",
    description: "Saved queries that are watched, and signed webhooks that tell of them.",
    rows: rowsOf(ALERT_ROUTES),
  },
  {
    name: "files",
    title: "Mooring: file storage",
    description: "Files of any size by presigned URLs.",
    rows: rowsOf(FILE_ROUTES),
  },
  {
    name: "buckets",
    title: "Mooring: buckets",
    description: "The objects of buckets, for people: programs use S3.",
    rows: rowsOf(BUCKET_ROUTES),
  },
  {
    name: "registry",
    title: "Mooring: container images",
    description:
      "What there is in the container registry, and rules for it. Images go by the OCI distribution interface.",
    rows: rowsOf(REGISTRY_API_ROUTES),
  },
  {
    name: "webhooks",
    title: "Mooring: incoming webhooks",
    description:
      "Addresses that accept events, and the events. The address for senders, POST /hooks/{token}, accepts any request.",
    rows: rowsOf(WEBHOOK_ROUTES),
  },
  {
    name: "discovery",
    title: "Mooring: discovery",
    description: "Where each service of a deployment is reached.",
    rows: rowsOf(DISCOVERY_ROUTES),
  },
  {
    name: "health",
    title: "Mooring: health",
    description: "For load balancers and orchestrators.",
    rows: rowsOf(HEALTH_ROUTES),
  },
];

/** The version of the interface, not of the product. Within v1 there are only additions. */
const VERSION = "1.0.0";

export const OPENAPI_FILES: readonly Generated[] = [
  ...SURFACES.map(({ name, ...surface }) => ({
    path: `openapi/${name}.json`,
    render: () => `${JSON.stringify(openApiOf({ ...surface, version: VERSION }), null, 2)}\n`,
  })),
  { path: "openapi/operations.txt", render: operationsList },
];

/** Writes one line for each operation, so that a change of the interface is a change of one line. */
function operationsList(): string {
  const lines = SURFACES.flatMap(({ name, rows }) =>
    rows.map((row) => `${row.method.padEnd(6)} ${row.path} ${row.permission} ${name}.${row.operationId}`),
  );
  return `${lines.toSorted((a, b) => a.slice(7).localeCompare(b.slice(7), "en")).join("\n")}\n`;
}
