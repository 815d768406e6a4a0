import Type from "typebox";
import { Count, ServiceName } from "./organization/activity.ts";
import { IdOrSlug, nullable, page } from "./organization/shapes.ts";
import { QUOTA_ROWS } from "./quotas.ts";
import { route } from "./route.ts";
import { CursorQuery } from "./shared.ts";

const Bytes = (description: string) => Type.Integer({ minimum: 0, description });
const QuotaBytes = nullable(
  Type.Integer({ minimum: 0, description: "maximum bytes that the organization may store; null: no limit" }),
);
const Keys = Type.Object({
  live: Type.Integer({ minimum: 0, description: "neither revoked nor expired" }),
  expiring_within_30_days: Type.Integer({
    minimum: 0,
    description: "credentials that expired, by their own expiry or the policy's",
  }),
});

const Usage = Type.Object({
  services: Type.Object({
    telemetry: Type.Object(
      {
        bytes: Bytes("bytes on disk: Parquet, and rows not yet in Parquet"),
        rows: Type.Object({ logs: Count, metrics: Count, traces: Count }),
        quota_bytes: QuotaBytes,
        ingest_bytes_per_second: nullable(
          Type.Integer({ description: "bytes of rows per second on average; null: no limit" }),
        ),
        ingest_bytes_burst: nullable(Type.Integer({ description: "bytes of rows, at once; null: no limit" })),
      },
      {
        description: "the numbers are of the server that answers; if several share a database, each has its own files",
      },
    ),
    files: Type.Object({
      bytes: Bytes("bytes of uploaded files"),
      count: Count,
      trashed_bytes: Bytes("bytes of deleted files that can be restored; they count towards the quota"),
      reserved_bytes: Bytes("bytes of granted uploads that have not arrived; they count towards the quota"),
      quota_bytes: QuotaBytes,
    }),
    buckets: Type.Object({
      bytes: Bytes("bytes of objects, older versions and parts of uploads"),
      objects: Type.Integer({ minimum: 0, description: "each version counted" }),
      quota_bytes: QuotaBytes,
    }),
    images: Type.Object({
      bytes: Bytes("bytes of container images, the same content counted once"),
      uploading_bytes: Bytes("bytes of uploads in progress; they count towards the quota"),
      quota_bytes: QuotaBytes,
    }),
    webhooks: Type.Object({ bytes: Bytes("bytes of stored events"), events: Count, quota_bytes: QuotaBytes }),
  }),
  requests_last_day: Type.Array(Type.Object({ service: ServiceName, requests: Count, refused: Count }), {
    description:
      "requests of credentials, S3 keys and people, most requests first. Counts are exact to the hour and up to ten seconds late",
  }),
  rate_limit: Type.Object(
    {
      per_second: Type.Integer({ description: "requests of one credential per second on average" }),
      burst: Type.Integer({ description: "requests of one credential, at once" }),
      hits_last_day: Type.Integer({
        minimum: 0,
        description: "requests that were refused because there were too many",
      }),
    },
    { description: "for each credential on each server" },
  ),
  credentials: Keys,
  s3_keys: Keys,
  members: Count,
  projects: Type.Integer({ minimum: 0, description: "private ones included" }),
  apps: Type.Integer({ minimum: 0, description: "including private projects" }),
});

export const USAGE_GROUPS = ["day", "project", "credential", "service", "all"] as const;
/** The days that daily usage is kept: 13 months. */
export const USAGE_DAYS = 396;

const Day = (description: string) => Type.String({ format: "date", maxLength: 10, description });

const DailyUsage = Type.Object({
  day: Day("UTC; with `total`, the first day"),
  project_id: Type.Optional(
    nullable(Type.String({ description: "absent unless grouped by it; null: there is none, or it is not known" })),
  ),
  credential_id: Type.Optional(
    nullable(
      Type.String({ description: "a credential or an S3 key, also a revoked one; null: people and unknown senders" }),
    ),
  ),
  credential_name: Type.Optional(nullable(Type.String())),
  service: Type.Optional(ServiceName),
  requests: Count,
  refused: Type.Integer({ minimum: 0, description: "of them: refused for a permission or a rate limit" }),
  bytes_in: Bytes("bytes of the bodies of requests"),
  bytes_out: Bytes("bytes of the bodies of answers"),
  bytes_scanned: Bytes("bytes of the files that queries have read"),
  bytes_stored: Bytes("bytes at the last measurement of the day; of no credential"),
});

/** The usage and the limits of an organization. */
export const USAGE_ROUTES = {
  getUsage: route({
    operationId: "getUsage",
    method: "GET",
    path: "/v1/usage",
    tag: "organization",
    summary: "Show what the organization uses, and its limits",
    description: "The counters are kept up to date, so the cost does not depend on the stored data.",
    permission: "org:read",
    result: Usage,
    status: 200,
    problems: ["forbidden"],
  }),
  listDailyUsage: route({
    operationId: "listDailyUsage",
    method: "GET",
    path: "/v1/usage/daily",
    tag: "organization",
    summary: "List the usage by day, newest first",
    description:
      "UTC days, kept for 13 months. Counts of the last ten seconds may be missing; stored bytes are measured each hour. Stored telemetry has no project. " +
      "Rows of projects that the caller may not read are left out. `Accept: text/csv` answers with all rows as CSV, without pages.",
    permission: "org:read",
    query: Type.Object({
      ...CursorQuery,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 100 })),
      from: Type.Optional(Day("the first day; default: 30 days before `to`")),
      to: Type.Optional(Day("the last day; default: today")),
      group_by: Type.Optional(
        Type.Enum([...USAGE_GROUPS], { default: "day", description: "all: by project, credential and service" }),
      ),
      total: Type.Optional(
        Type.Boolean({
          default: false,
          description: "one row for all days; its stored bytes are those of the last day",
        }),
      ),
      project: Type.Optional(IdOrSlug),
      credential: Type.Optional(Type.String({ maxLength: 64, description: "the id of a credential or S3 key" })),
      service: Type.Optional(ServiceName),
    }),
    result: page(DailyUsage),
    status: 200,
    problems: ["invalid_parameter", "forbidden", "not_found", "not_acceptable"],
  }),
  ...QUOTA_ROWS,
} as const;
