import Type from "typebox";
import { route } from "../route.ts";
import { AppSlug, CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { ADOPT, OverlapSeconds, Ownership, Revocation } from "./credential-shapes.ts";
import { KeyResources } from "./resource-shapes.ts";
import { AllowedAddresses, Id, IdOrSlug, Replayed, closed, nullable, page } from "./shapes.ts";

/** The scopes that an S3 key can have: those of the S3 gateway, and the one that creates and configures buckets. */
export const S3_KEY_SCOPES = ["s3:read", "s3:write", "s3:delete", "apps:write"] as const;

const KeyScope = Type.Enum([...S3_KEY_SCOPES]);
const keyParams = Type.Object({
  key_id: Type.String({ maxLength: 64, description: "the identifier, or the access key ID" }),
});

const S3Key = Type.Object({
  id: Id,
  access_key_id: Type.String(),
  name: DisplayName,
  project_id: nullable(Id),
  scopes: Type.Array(KeyScope, { description: "the permission set as chosen" }),
  effective_scopes: Type.Array(KeyScope, {
    description: "the effective permission set: the chosen scopes that the responsible one has and the policy allows",
  }),
  buckets: nullable(Type.Array(AppSlug, { description: "the only buckets that it can reach; null: all buckets" })),
  prefix: Type.String({ description: "it reaches only object keys that begin with this" }),
  created_by: Id,
  created_at: Timestamp,
  ...Ownership,
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  pending: Type.Boolean({ description: "waits for an approval; its requests are refused until then" }),
  allowed_addresses: AllowedAddresses,
  resources: KeyResources,
  last_used_at: nullable(Timestamp),
  former: nullable(
    Type.Object(
      { access_key_id: Type.String(), expires_at: Timestamp, last_used_at: nullable(Timestamp) },
      { description: "the access key ID and secret from before the last rotation, while they work" },
    ),
  ),
});

const NewS3Key = Type.Object({
  ...S3Key.properties,
  secret_access_key: nullable(Type.String({ description: "shown once" })),
  replayed: Replayed,
});

export const S3_KEY_ROWS = {
  listS3Keys: route({
    operationId: "listS3Keys",
    method: "GET",
    path: "/v1/s3/keys",
    tag: "s3",
    summary: "List S3 keys, newest first; without their secrets",
    permission: "credentials:read",
    query: Type.Object({
      ...CursorQuery,
      project: Type.Optional(IdOrSlug),
      include_revoked: Type.Optional(Type.Boolean({ default: false })),
    }),
    result: page(S3Key),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createS3Key: route({
    operationId: "createS3Key",
    secret: true,
    method: "POST",
    path: "/v1/s3/keys",
    tag: "s3",
    summary: "Create an access key of the S3 gateway; its secret is shown once",
    description: "The caller must have every scope that they give, and the organization's policy must allow it.",
    permission: "credentials:write",
    recentSignIn: true,
    body: Type.Object(
      {
        name: DisplayName,
        project: Type.Optional(nullable(IdOrSlug)),
        scopes: Type.Optional(
          Type.Array(KeyScope, {
            minItems: 1,
            uniqueItems: true,
            maxItems: S3_KEY_SCOPES.length,
            description: "by default all scopes that an S3 key can have and the caller has",
          }),
        ),
        buckets: Type.Optional(nullable(Type.Array(AppSlug, { minItems: 1, maxItems: 100, uniqueItems: true }))),
        prefix: Type.Optional(Type.String({ maxLength: 1024 })),
        read_only: Type.Optional(Type.Boolean({ default: false, description: "reduces the scopes to s3:read" })),
        expires_at: Type.Optional(nullable(Type.String({ format: "date-time" }))),
        allowed_addresses: Type.Optional(AllowedAddresses),
        resources: Type.Optional(KeyResources),
      },
      closed,
    ),
    result: NewS3Key,
    status: 201,
    problems: ["invalid_body", "forbidden", "not_found", "limit_reached"],
    idempotent: true,
  }),
  getS3Key: route({
    operationId: "getS3Key",
    method: "GET",
    path: "/v1/s3/keys/{key_id}",
    tag: "s3",
    summary: "Read an S3 key; without its secret",
    permission: "credentials:read",
    params: keyParams,
    result: S3Key,
    status: 200,
    problems: ["not_found"],
  }),
  updateS3Key: route({
    operationId: "updateS3Key",
    method: "PATCH",
    path: "/v1/s3/keys/{key_id}",
    tag: "s3",
    summary: "Change an S3 key's name, allowed addresses or resources",
    description: "To add addresses or resources, the caller must have all the key's permissions.",
    permission: "credentials:write",
    recentSignIn: true,
    params: keyParams,
    headers: ["If-Match"],
    body: Type.Object(
      {
        name: Type.Optional(DisplayName),
        allowed_addresses: Type.Optional(AllowedAddresses),
        resources: Type.Optional(KeyResources),
      },
      { ...closed, minProperties: 1 },
    ),
    result: S3Key,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "conflict", "concurrent_update"],
  }),
  approveS3Key: route({
    operationId: "approveS3Key",
    method: "POST",
    path: "/v1/s3/keys/{key_id}/approve",
    tag: "s3",
    summary: "Approve an S3 key that waits for approval",
    description: "Also needs credentials:write. To refuse it, revoke it.",
    permission: "members:write",
    recentSignIn: true,
    params: keyParams,
    result: S3Key,
    status: 200,
    problems: ["not_found", "conflict"],
  }),
  adoptS3Key: route({
    operationId: "adoptS3Key",
    method: "POST",
    path: "/v1/s3/keys/{key_id}/adopt",
    tag: "s3",
    summary: "Adopt an S3 key: the caller becomes responsible for it",
    description: ADOPT,
    permission: "credentials:write",
    recentSignIn: true,
    params: keyParams,
    result: S3Key,
    status: 200,
    problems: ["not_found", "forbidden", "conflict"],
  }),
  rotateS3Key: route({
    operationId: "rotateS3Key",
    secret: true,
    method: "POST",
    path: "/v1/s3/keys/{key_id}/rotate",
    tag: "s3",
    summary: "Rotate an S3 key: it gets a new access key ID and secret; the old ones work until the overlap ends",
    description: "Limits, permissions and the identifier stay. A former access key ID from an earlier rotation ends.",
    permission: "credentials:write",
    recentSignIn: true,
    params: keyParams,
    body: Type.Object({ overlap_seconds: OverlapSeconds }, closed),
    result: NewS3Key,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
    idempotent: true,
  }),
  revokeS3Key: route({
    operationId: "revokeS3Key",
    method: "DELETE",
    path: "/v1/s3/keys/{key_id}",
    tag: "s3",
    summary: "Revoke an S3 key: its next request is refused",
    description:
      "A key is not responsible for others, so `orphans` changes nothing. `reason=leak` is in the audit log and in its state. `dry_run=true` shows the effects.",
    permission: "credentials:write",
    endsAccess: true,
    recentSignIn: true,
    params: keyParams,
    headers: ["If-Match"],
    query: Revocation,
    result: Type.Object({ revoked_at: Timestamp }),
    status: 200,
    problems: ["invalid_parameter", "not_found", "conflict", "concurrent_update"],
  }),
} as const;
