import Type from "typebox";
import { closed, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";

export const ACCESS_LOG_MODES = ["off", "sampled", "all"] as const;
export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number];

const Mode = Type.Enum([...ACCESS_LOG_MODES]);
const SampleRate = Type.Integer({ minimum: 2, maximum: 100_000 });
const Days = Type.Integer({ minimum: 1, maximum: 36_500 });

export const AccessLogSettings = Type.Object({
  mode: Mode,
  sample_rate: SampleRate,
  retention_days: nullable(Days),
  effective_retention_days: nullable(
    Type.Integer({ description: "after the server's default and maximum; null: kept until deleted" }),
  ),
});

export const ACCESS_LOG_ROWS = {
  getAccessLogSettings: route({
    operationId: "getAccessLogSettings",
    method: "GET",
    path: "/v1/access-log/settings",
    tag: "telemetry",
    summary: "Show what the access log records",
    permission: "org:read",
    result: AccessLogSettings,
    status: 200,
    problems: ["forbidden"],
  }),
  updateAccessLogSettings: route({
    operationId: "updateAccessLogSettings",
    method: "PATCH",
    path: "/v1/access-log/settings",
    tag: "telemetry",
    summary: "Change what the access log records",
    description:
      "`all`: every access to data has a row in the table `access_log`. `sampled`: one of `sample_rate` reads has a row, and every write, deletion and refusal. " +
      "`off`: no new rows. Every server applies a change within seconds. Members that the request does not name stay. Rows that are there stay until their retention ends.",
    permission: "org:write",
    headers: ["If-Match"],
    body: Type.Object(
      {
        mode: Type.Optional(Mode),
        sample_rate: Type.Optional(SampleRate),
        retention_days: Type.Optional(nullable(Days)),
      },
      { ...closed, minProperties: 1 },
    ),
    result: AccessLogSettings,
    status: 200,
    problems: ["invalid_body", "forbidden", "concurrent_update"],
  }),
};
