import Type from "typebox";
import { Count, ServiceName } from "./organization/activity.ts";
import { nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";

const Bytes = (description: string) => Type.Integer({ minimum: 0, description });
const QuotaBytes = nullable(
  Type.Integer({ minimum: 0, description: "what the organization may store; null: no limit" }),
);
const Keys = Type.Object({
  live: Type.Integer({ minimum: 0, description: "neither revoked nor expired" }),
  expiring_within_30_days: Type.Integer({ minimum: 0, description: "of them, by their own end or the policy's" }),
});

const Usage = Type.Object({
  services: Type.Object({
    telemetry: Type.Object(
      {
        bytes: Bytes("on disk: Parquet, and rows that are not in Parquet yet"),
        rows: Type.Object({ logs: Count, metrics: Count, traces: Count }),
        quota_bytes: QuotaBytes,
        ingest_bytes_per_second: nullable(Type.Integer({ description: "of rows, sustained; null: no limit" })),
        ingest_bytes_burst: nullable(Type.Integer({ description: "of rows, at once; null: no limit" })),
      },
      { description: "of the server that answers: where several share a database, each has its own files" },
    ),
    files: Type.Object({
      bytes: Bytes("of files that were uploaded"),
      count: Count,
      trashed_bytes: Bytes("of deleted files that can be restored; they count towards the quota"),
      reserved_bytes: Bytes("of uploads that were granted and not made yet; they count towards the quota"),
      quota_bytes: QuotaBytes,
    }),
    buckets: Type.Object({
      bytes: Bytes("of objects, versions that are not current and parts of uploads included"),
      objects: Type.Integer({ minimum: 0, description: "each version counted" }),
      quota_bytes: QuotaBytes,
    }),
    images: Type.Object({
      bytes: Bytes("of container images, the same content counted once"),
      uploading_bytes: Bytes("of uploads under way; they count towards the quota"),
      quota_bytes: QuotaBytes,
    }),
    webhooks: Type.Object({ bytes: Bytes("of events that are kept"), events: Count, quota_bytes: QuotaBytes }),
  }),
  requests_last_day: Type.Array(Type.Object({ service: ServiceName, requests: Count, refused: Count }), {
    description: "of credentials, access keys and people; to the hour, ten seconds late at most, most requests first",
  }),
  rate_limit: Type.Object(
    {
      per_second: Type.Integer({ description: "requests of one credential, sustained" }),
      burst: Type.Integer({ description: "requests of one credential, at once" }),
      hits_last_day: Type.Integer({ minimum: 0, description: "requests that were refused because they came too fast" }),
    },
    { description: "for each credential on each server" },
  ),
  credentials: Keys,
  s3_keys: Keys,
  members: Count,
  projects: Type.Integer({ minimum: 0, description: "private ones included" }),
  apps: Type.Integer({ minimum: 0, description: "those of private projects included" }),
});

/** The usage and the limits of an organization. */
export const USAGE_ROUTES = {
  getUsage: route({
    operationId: "getUsage",
    method: "GET",
    path: "/v1/usage",
    tag: "organization",
    summary: "Show what the organization uses, and its limits",
    description: "From counters that are kept along: the answer costs the same, however much is stored.",
    permission: "org:read",
    result: Usage,
    status: 200,
    problems: ["forbidden"],
  }),
} as const;
