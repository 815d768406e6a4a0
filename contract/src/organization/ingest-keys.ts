import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { Credential, OverlapSeconds, Revocation } from "./credential-shapes.ts";
import { ServiceResources } from "./resource-shapes.ts";
import { AllowedAddresses, Id, IdOrSlug, Replayed, closed, nullable, page } from "./shapes.ts";

const keyParams = Type.Object({ key_id: Id });

/** Origins as browsers send them. The server also checks that each is one exactly. */
const Origins = nullable(
  Type.Array(Type.String({ minLength: 8, maxLength: 270, pattern: "^https?://[^/?#@\\s]+$" }), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      "origins of web pages that may use it, for example `https://app.example.com`, or `https://*.example.com` for one more label; requests without such an `Origin` are then refused. null: no such limit",
  }),
);

const RequestsPerSecond = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "on each node, ten seconds of it at once; in addition to the limit of the server. null: no such limit",
  }),
);

const { kind: _kind, client_id: _client, resources: _resources, ...shared } = Credential.properties;

const IngestKey = Type.Object({
  ...shared,
  resources: ServiceResources,
  origins: Origins,
  requests_per_second: RequestsPerSecond,
});

const NewIngestKey = Type.Object({
  ...IngestKey.properties,
  key: nullable(Type.String({ description: "shown once" })),
  replayed: Replayed,
});

/** The settings that can be changed. */
const settings = {
  allowed_addresses: Type.Optional(AllowedAddresses),
  resources: Type.Optional(ServiceResources),
  origins: Type.Optional(Origins),
  requests_per_second: Type.Optional(RequestsPerSecond),
};

export const INGEST_KEY_ROWS = {
  listIngestKeys: route({
    operationId: "listIngestKeys",
    method: "GET",
    path: "/v1/ingest-keys",
    tag: "credentials",
    summary: "List ingest keys, newest first; without their secrets",
    permission: "credentials:read",
    query: Type.Object({
      ...CursorQuery,
      project: Type.Optional(IdOrSlug),
      include_revoked: Type.Optional(Type.Boolean({ default: false })),
    }),
    result: page(IngestKey),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createIngestKey: route({
    operationId: "createIngestKey",
    secret: true,
    method: "POST",
    path: "/v1/ingest-keys",
    tag: "credentials",
    summary: "Create an ingest key, which only sends telemetry; it is shown once",
    description:
      "It is a credential of the kind `ingest` with the only scope telemetry:write, which the caller must have. Programs send the key itself with each request, so it is never exchanged for an access token. The operations of credentials that approve, adopt and show activity take its identifier.",
    permission: "credentials:write",
    recentSignIn: true,
    body: Type.Object(
      {
        name: DisplayName,
        project: Type.Optional(nullable(IdOrSlug)),
        expires_at: Type.Optional(nullable(Type.String({ format: "date-time" }))),
        ...settings,
      },
      closed,
    ),
    result: NewIngestKey,
    status: 201,
    problems: ["invalid_body", "forbidden", "not_found", "limit_reached"],
    idempotent: true,
  }),
  getIngestKey: route({
    operationId: "getIngestKey",
    method: "GET",
    path: "/v1/ingest-keys/{key_id}",
    tag: "credentials",
    summary: "Read an ingest key; without its secrets",
    permission: "credentials:read",
    params: keyParams,
    result: IngestKey,
    status: 200,
    problems: ["not_found"],
  }),
  updateIngestKey: route({
    operationId: "updateIngestKey",
    method: "PATCH",
    path: "/v1/ingest-keys/{key_id}",
    tag: "credentials",
    summary: "Change an ingest key's name or limits",
    description: "To widen a limit, the caller must have telemetry:write.",
    permission: "credentials:write",
    recentSignIn: true,
    params: keyParams,
    headers: ["If-Match"],
    body: Type.Object({ name: Type.Optional(DisplayName), ...settings }, { ...closed, minProperties: 1 }),
    result: IngestKey,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "conflict", "concurrent_update"],
  }),
  rotateIngestKey: route({
    operationId: "rotateIngestKey",
    secret: true,
    method: "POST",
    path: "/v1/ingest-keys/{key_id}/rotate",
    tag: "credentials",
    summary: "Rotate an ingest key; the old secret works until the overlap ends",
    description: "Limits and the identifier stay. At most two secrets are valid at once.",
    permission: "credentials:write",
    recentSignIn: true,
    params: keyParams,
    body: Type.Object({ overlap_seconds: OverlapSeconds }, closed),
    result: NewIngestKey,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
    idempotent: true,
  }),
  revokeIngestKey: route({
    operationId: "revokeIngestKey",
    method: "DELETE",
    path: "/v1/ingest-keys/{key_id}",
    tag: "credentials",
    summary: "Revoke an ingest key on every node",
    description:
      "A key is not responsible for others, so `orphans` changes nothing. `reason=leak` is in the audit log and in its state. `dry_run=true` shows the effects.",
    permission: "credentials:write",
    endsAccess: true,
    recentSignIn: true,
    params: keyParams,
    headers: ["If-Match"],
    query: Revocation,
    result: Type.Object({
      revoked_at: Timestamp,
      propagated: Type.Boolean({ description: "all running nodes have applied it" }),
    }),
    status: 200,
    problems: ["invalid_parameter", "not_found", "conflict", "concurrent_update"],
  }),
} as const;
