import Type from "typebox";
import { closed, Id, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { CursorQuery } from "./shared.ts";

export const QUOTA_SCOPES = ["project", "bucket", "webhook"] as const;
/** From this share on, a quota is nearly full. */
export const QUOTA_NEAR = 0.9;

const Scope = Type.Enum([...QUOTA_SCOPES]);
const MaxBytes = nullable(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "null: no quota" }),
);

const Quota = Type.Object({
  scope: Scope,
  target_id: Type.String({ description: "a project, the app of a bucket, or a webhook" }),
  name: Type.String(),
  project_id: Type.String({ description: "the project, or that of the bucket or webhook" }),
  used_bytes: Type.Integer({
    minimum: 0,
    description:
      "stored bytes that count: of a project its files with their trash and reservations, objects, images and events",
  }),
  max_bytes: MaxBytes,
  state: Type.Enum(["none", "ok", "near", "full"], { description: "none: no quota; near: 90 % or more are used" }),
});

const params = Type.Object({ scope: Scope, target_id: Id });

/** Quotas that an organization sets for its projects, buckets and webhooks. Mounted with its usage. */
export const QUOTA_ROWS = {
  listQuotas: route({
    operationId: "listQuotas",
    method: "GET",
    path: "/v1/quotas",
    tag: "organization",
    summary: "List the quotas of projects, buckets and webhooks",
    description:
      "Quotas of projects that the caller may not read are left out. The quotas of the organization itself are in `GET /v1/usage`.",
    permission: "org:read",
    query: Type.Object({ ...CursorQuery }),
    result: page(Quota),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  getQuota: route({
    operationId: "getQuota",
    method: "GET",
    path: "/v1/quotas/{scope}/{target_id}",
    tag: "organization",
    summary: "Show the quota of a project, bucket or webhook",
    permission: "org:read",
    params,
    result: Quota,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  updateQuota: route({
    operationId: "updateQuota",
    method: "PATCH",
    path: "/v1/quotas/{scope}/{target_id}",
    tag: "organization",
    summary: "Set or remove the quota of a project, bucket or webhook",
    description:
      "Applies at once on every server. Stored data stays when the quota is smaller. At the quota, uploads answer 413 `storage_quota_exceeded`, S3 `QuotaExceeded`, pushes `DENIED`, and webhooks 429 `quota_exceeded`. Telemetry does not count, because it has quotas of the organization only.",
    permission: "org:write",
    headers: ["If-Match"],
    params,
    body: Type.Object({ max_bytes: MaxBytes }, closed),
    result: Quota,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "concurrent_update"],
  }),
} as const;
