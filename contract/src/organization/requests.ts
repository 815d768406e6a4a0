import Type from "typebox";
import { ALLOWING_ACTS, REFUSAL_RULES, REFUSALS_KEPT_DAYS } from "../refusals.ts";
import { route } from "../route.ts";
import { CursorQuery, Timestamp } from "../shared.ts";
import { Id, nullable } from "./shapes.ts";

const names = <T extends Readonly<Record<string, string>>>(table: T) => Object.keys(table) as (keyof T & string)[];

export const RefusedRequest = Type.Object({
  request_id: Type.String({ description: "the server's own identifier; it is unique" }),
  client_request_id: nullable(Type.String({ description: "the `Request-Id` that the caller sent" })),
  at: Timestamp,
  surface: Type.String(),
  operation: Type.String({ description: "the operation, or the address as a pattern" }),
  method: Type.String(),
  status: Type.Integer(),
  code: Type.String({ description: "the code of the error, in the form of the interface" }),
  detail: Type.String({ description: "the text that the caller got" }),
  actor: nullable(
    Type.Object({
      kind: Type.Enum(["credential", "key", "person", "webhook"]),
      id: Id,
      name: nullable(
        Type.String({ description: "its name today; null: it was deleted, or the reader may not see it" }),
      ),
      token_id: nullable(Type.String({ description: "the personal token or login that the person used" })),
    }),
  ),
  address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  decided_by: Type.Object({
    rule: Type.Enum(names(REFUSAL_RULES)),
    meaning: Type.String(),
    permission: nullable(Type.String()),
    resource: nullable(
      Type.Object(
        {
          kind: Type.String(),
          id: nullable(Type.String()),
          project_id: nullable(Id),
        },
        { description: "null: there is none, or the reader may not see it" },
      ),
    ),
    policy: nullable(
      Type.Object({
        bucket: Type.String(),
        statement: nullable(Type.String({ description: "its Sid, or its number from 1" })),
      }),
    ),
    limit: nullable(
      Type.Object({
        name: Type.String(),
        max: nullable(Type.Integer()),
        value: nullable(Type.Integer()),
        until: nullable(Timestamp),
      }),
    ),
    held: nullable(Type.Array(Type.String(), { description: "the permissions that the caller had there" })),
    lost_at: nullable(
      Type.Enum(["token", "credential", "maker", "role"], { description: "where the permission was lost" }),
    ),
  }),
  would_allow: Type.Array(
    Type.Object({
      act: Type.Enum(names(ALLOWING_ACTS)),
      meaning: Type.String(),
      to: nullable(Type.String({ description: "the person, credential, project or setting that it changes" })),
      value: nullable(Type.String({ description: "the permission, role, address or time" })),
      by: Type.Array(Type.String(), { description: "the roles that can do it; `operator`, `caller`" }),
    }),
    { description: "all of these together would have allowed the request; empty: nothing in this organization would" },
  ),
  more: Type.Object({
    same_minute: Type.Integer({ description: "further equal refusals within the minute; their identifiers work too" }),
  }),
});

const KeptSince = Type.String({
  format: "date-time",
  description: "refused requests are kept since this time; older ones were deleted, by age or because of their size",
});

export const REQUEST_ROWS = {
  listRequests: route({
    operationId: "listRequests",
    method: "GET",
    path: "/v1/requests",
    tag: "requests",
    summary: "List refused requests, newest first",
    description: `Refused requests are kept for ${REFUSALS_KEPT_DAYS} days, or less if they take more than 256 MiB. Without the permission \`audit:read\` for the organization, the list has only the caller's own requests. Equal refusals within a minute are one item.`,
    permission: "authenticated",
    query: Type.Object({ ...CursorQuery }),
    result: Type.Object({
      items: Type.Array(RefusedRequest),
      next_cursor: nullable(Type.String()),
      kept_since: KeptSince,
    }),
    status: 200,
    problems: ["invalid_parameter"],
  }),
  getRequest: route({
    operationId: "getRequest",
    method: "GET",
    path: "/v1/requests/{request_id}",
    tag: "requests",
    summary: "Explain a refused request",
    description:
      "Finds a request by the server's identifier, or by the `Request-Id` that its caller sent, which may be that of several requests. Without the permission `audit:read` for the organization, only the caller's own requests are found. A request of another server process is found after two seconds at the latest.",
    permission: "authenticated",
    params: Type.Object({
      request_id: Type.String({ minLength: 8, maxLength: 128, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" }),
    }),
    result: Type.Object({
      items: Type.Array(RefusedRequest, { description: "newest first, at most 50" }),
      kept_since: KeptSince,
    }),
    status: 200,
    problems: ["not_found"],
  }),
} as const;
