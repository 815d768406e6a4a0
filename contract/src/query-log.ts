import Type from "typebox";
import { closed, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";

export const QUERY_LOG_MODES = ["off", "all"] as const;
export type QueryLogMode = (typeof QUERY_LOG_MODES)[number];

const Mode = Type.Enum([...QUERY_LOG_MODES]);
const Days = Type.Integer({ minimum: 1, maximum: 36_500 });

export const QueryLogSettings = Type.Object({
  mode: Mode,
  retention_days: nullable(Days),
  effective_retention_days: nullable(
    Type.Integer({ description: "after the server's default and maximum; null: kept until deleted" }),
  ),
});

export const QUERY_LOG_ROWS = {
  getQueryLogSettings: route({
    operationId: "getQueryLogSettings",
    method: "GET",
    path: "/v1/query-log/settings",
    tag: "telemetry",
    summary: "Show whether the query log records statements",
    permission: "org:read",
    result: QueryLogSettings,
    status: 200,
    problems: ["forbidden"],
  }),
  updateQueryLogSettings: route({
    operationId: "updateQueryLogSettings",
    method: "PATCH",
    path: "/v1/query-log/settings",
    tag: "telemetry",
    summary: "Change whether the query log records statements",
    description:
      "`all`, the default: every statement has a row in the table `query_log`. `off`: no new rows. Every server applies a change within seconds. " +
      "Members that the request does not name stay. Rows that are there stay until their retention ends.",
    permission: "org:write",
    headers: ["If-Match"],
    body: Type.Object(
      {
        mode: Type.Optional(Mode),
        retention_days: Type.Optional(nullable(Days)),
      },
      { ...closed, minProperties: 1 },
    ),
    result: QueryLogSettings,
    status: 200,
    problems: ["invalid_body", "forbidden", "concurrent_update"],
  }),
};
