import Type from "typebox";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";
import { Id, nullable } from "./shapes.ts";

/** What requests of credentials are counted by. */
export const ACTIVITY_SERVICES = [
  "organization",
  "telemetry",
  "query",
  "alerts",
  "files",
  "registry",
  "s3",
  "webhooks",
  "oauth",
  "portal",
  "other",
] as const;

export type ActivityService = (typeof ACTIVITY_SERVICES)[number];

export const ServiceName = Type.Enum([...ACTIVITY_SERVICES], {
  description: "oauth: sign-ins for access tokens; organization: this API",
});

export const Count = Type.Integer({ minimum: 0 });
const Counted = Type.Object({
  requests: Count,
  refused: Type.Integer({ minimum: 0, description: "of them, those that were not allowed or came too fast" }),
});

const Activity = Type.Object({
  last_hour: Counted,
  last_day: Counted,
  by_address: Type.Array(
    Type.Object({
      ip: nullable(Type.String({ description: "null: those beyond the fifty addresses that an hour tells apart" })),
      user_agent: nullable(Type.String({ description: "the first 200 characters; null: none was sent" })),
      requests: Count,
      last_at: Timestamp,
    }),
    { description: "of the last day, the ten with most requests" },
  ),
  by_service: Type.Array(Type.Object({ service: ServiceName, requests: Count }), {
    description: "of the last day, most requests first",
  }),
});

const description =
  "Counts of every node, those of other nodes ten seconds late at most; the last hour to the minute, the last day to the hour. " +
  "Requests count when they end, those that go on for long too; uploads and downloads at presigned URLs do not.";

export const ACTIVITY_ROWS = {
  getCredentialActivity: route({
    operationId: "getCredentialActivity",
    method: "GET",
    path: "/v1/credentials/{credential_id}/activity",
    tag: "credentials",
    summary: "Show what a credential did lately, and what would stop if it were revoked",
    description,
    permission: "credentials:read",
    params: Type.Object({ credential_id: Id }),
    result: Activity,
    status: 200,
    problems: ["not_found"],
  }),
  getS3KeyActivity: route({
    operationId: "getS3KeyActivity",
    method: "GET",
    path: "/v1/s3/keys/{key_id}/activity",
    tag: "s3",
    summary: "Show what an access key did lately, and what would stop if it were revoked",
    description,
    permission: "credentials:read",
    params: Type.Object({
      key_id: Type.String({ maxLength: 64, description: "the identifier, or the access key ID" }),
    }),
    result: Activity,
    status: 200,
    problems: ["not_found"],
  }),
} as const;
