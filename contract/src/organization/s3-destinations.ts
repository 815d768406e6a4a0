import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, Timestamp } from "../shared.ts";
import { Id, Replayed, closed, nullable, page } from "./shapes.ts";

const Name = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$",
  description: "the last part of the destination's ARN",
});
const Url = Type.String({ minLength: 1, maxLength: 2048, description: "https, to a public address" });
const destinationParams = Type.Object({
  destination_id: Type.String({ maxLength: 100, description: "the identifier, or the name" }),
});

const Destination = Type.Object({
  id: Id,
  name: Name,
  url: Url,
  arn: Type.String({ description: "the name in notification configurations of buckets" }),
  created_at: Timestamp,
});

const Undelivered = Type.Object({
  id: Id,
  state: Type.Enum(["pending", "dead"]),
  attempts: Type.Integer(),
  created_at: Timestamp,
  last_status: nullable(Type.Integer()),
  last_error: nullable(Type.String()),
});

export const S3_DESTINATION_ROWS = {
  listS3Destinations: route({
    operationId: "listS3Destinations",
    secret: true,
    method: "GET",
    path: "/v1/s3/destinations",
    tag: "s3",
    summary: "List where events of buckets can be sent, newest first; without secrets",
    permission: "webhooks:read",
    resource: "unlimited",
    query: Type.Object(CursorQuery),
    result: page(Destination),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  createS3Destination: route({
    operationId: "createS3Destination",
    secret: true,
    method: "POST",
    path: "/v1/s3/destinations",
    tag: "s3",
    summary: "Create a destination for events of buckets; the secret that signs them is shown once",
    description:
      "A bucket's notification configuration names it by its ARN. Messages are signed by Standard Webhooks, retried for about a day, and sent to public addresses only.",
    permission: "webhooks:write",
    resource: "unlimited",
    body: Type.Object({ name: Name, url: Url }, closed),
    result: Type.Object({
      ...Destination.properties,
      secret: nullable(Type.String({ description: "shown once" })),
      replayed: Replayed,
    }),
    status: 201,
    problems: ["invalid_body", "forbidden", "conflict", "limit_reached"],
    idempotent: true,
  }),
  getS3Destination: route({
    operationId: "getS3Destination",
    secret: true,
    method: "GET",
    path: "/v1/s3/destinations/{destination_id}",
    tag: "s3",
    summary: "Read a destination of events, with its latest failed messages",
    permission: "webhooks:read",
    resource: "unlimited",
    params: destinationParams,
    result: Type.Object({ ...Destination.properties, undelivered: Type.Array(Undelivered) }),
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  deleteS3Destination: route({
    operationId: "deleteS3Destination",
    method: "DELETE",
    path: "/v1/s3/destinations/{destination_id}",
    tag: "s3",
    summary: "Delete a destination of events, with its pending messages",
    permission: "webhooks:write",
    resource: "unlimited",
    params: destinationParams,
    status: 204,
    problems: ["forbidden", "not_found"],
  }),
} as const;
