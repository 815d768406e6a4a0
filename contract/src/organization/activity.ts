import Type from "typebox";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";
import { Id, nullable } from "./shapes.ts";

/** The services for which requests of credentials are counted separately. */
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
  refused: Type.Integer({
    minimum: 0,
    description: "requests that were refused because of a missing permission or a rate limit",
  }),
});

const Activity = Type.Object({
  last_hour: Counted,
  last_day: Counted,
  by_address: Type.Array(
    Type.Object({
      ip: nullable(Type.String({ description: "null: all addresses after the first fifty of an hour" })),
      user_agent: nullable(Type.String({ description: "the first 200 characters; null: none was sent" })),
      requests: Count,
      last_at: Timestamp,
    }),
    { description: "the ten addresses with most requests on the last day" },
  ),
  by_service: Type.Array(Type.Object({ service: ServiceName, requests: Count }), {
    description: "the last day, most requests first",
  }),
});

const description =
  "The counts include all nodes; those of other nodes are up to ten seconds late. Counts of the last hour are exact to the minute, those of the last day to the hour. " +
  "A request counts when it ends, however long it takes. Uploads and downloads at presigned URLs don't count.";

export const ACTIVITY_ROWS = {
  getCredentialActivity: route({
    operationId: "getCredentialActivity",
    method: "GET",
    path: "/v1/credentials/{credential_id}/activity",
    tag: "credentials",
    summary: "Show a credential's recent requests, and the effects of revoking it",
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
    summary: "Show an S3 key's recent requests, and the effects of revoking it",
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
