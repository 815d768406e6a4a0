import Type from "typebox";
import { closed, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

const TypeName = Type.Enum(["logs", "metrics", "traces"]);
const DAYS_MAX = 36_500;
const RULES_MAX = 32;
const KEYS_MAX = 16;
const VALUE_CHARS_MAX = 1024;
const Days = Type.Integer({ minimum: 1, maximum: DAYS_MAX });

const value = (of: string) => Type.Optional(Type.String({ minLength: 1, maxLength: VALUE_CHARS_MAX, description: of }));
const members = (of: string) =>
  Type.Optional(
    Type.Record(Type.String({ maxLength: VALUE_CHARS_MAX }), Type.String({ maxLength: VALUE_CHARS_MAX }), {
      minProperties: 1,
      maxProperties: KEYS_MAX,
      description: of,
    }),
  );

export const RetentionRule = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    type: TypeName,
    match: Type.Object(
      {
        project_id: value("all types: the id of a project"),
        service: value("all types"),
        level: value("logs"),
        name: value("metrics and traces"),
        attributes: members("logs and traces: texts as in `attributes->>'key'`"),
        tags: members("metrics"),
      },
      { ...closed, minProperties: 1, description: "the values that a row must have; all must match" },
    ),
    days: Days,
  },
  closed,
);

const Rules = Type.Array(RetentionRule, {
  maxItems: RULES_MAX,
  description: "in order: the first rule that matches a row decides. At most four different numbers of days",
});
const days = { logs: nullable(Days), metrics: nullable(Days), traces: nullable(Days) };
const OwnDays = Type.Object(days);

export const RetentionRules = Type.Object({
  rules: Type.Array(RetentionRule),
  retention_days: OwnDays,
  former: Type.Array(
    Type.Object({
      until: Timestamp,
      rules: Type.Array(RetentionRule),
      retention_days: OwnDays,
    }),
    { description: "retention that was replaced, oldest first. Until then, rows that it keeps are kept and shown" },
  ),
  grace_hours: Type.Integer({ description: "how long a replaced retention still counts" }),
  delete_hours: Type.Integer({ description: "how long files stay on the disk after all their rows are past" }),
});

export const RetentionPreview = Type.Object({
  is_complete: Type.Boolean({ description: "false: rows of projects that the caller may not see are not counted" }),
  types: Type.Array(
    Type.Object({
      type: TypeName,
      rows: Type.Integer({ description: "rows that queries show now" }),
      rows_past: Type.Integer({ description: "rows of them that the new retention does not keep" }),
      share: Type.Number({ description: "share of the stored bytes of these rows, from 0 to 1, by their number" }),
      bytes_past: Type.Integer({ description: "their part of the stored bytes" }),
      oldest: nullable(Timestamp),
    }),
  ),
});

const body = Type.Object(
  {
    rules: Rules,
    retention_days: Type.Optional(
      Type.Partial(OwnDays, {
        ...closed,
        description: "days of rows that no rule matches; null: the server's default. Absent days stay",
      }),
    ),
  },
  closed,
);

const path = "/v1/telemetry/retention-rules";
const tag = "telemetry";

/** Retention of telemetry by rules. */
export const RETENTION_RULE_ROWS = {
  getRetentionRules: route({
    operationId: "getRetentionRules",
    method: "GET",
    path,
    tag,
    summary: "Show the rules of retention",
    permission: "org:read",
    result: RetentionRules,
    status: 200,
    problems: ["forbidden"],
  }),
  updateRetentionRules: route({
    operationId: "updateRetentionRules",
    method: "PUT",
    path,
    tag,
    summary: "Replace the rules of retention",
    description:
      "Rows that only the replaced rules keep are still kept and shown during the grace. To undo a change, send the former rules and days again.",
    permission: "org:write",
    headers: ["If-Match"],
    body,
    result: RetentionRules,
    status: 200,
    problems: ["invalid_body", "forbidden", "limit_reached", "concurrent_update"],
  }),
  previewRetentionRules: route({
    operationId: "previewRetentionRules",
    method: "POST",
    path: `${path}/preview`,
    tag,
    summary: "Count the rows that other rules of retention would not keep",
    permission: "org:write",
    body,
    result: RetentionPreview,
    status: 200,
    problems: ["invalid_body", "forbidden"],
  }),
} as const;
