import Type from "typebox";
import { closed, Id, IdOrSlug, listQuery, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { DisplayName, Timestamp } from "./shared.ts";

export const INGEST_RULE_ACTIONS = ["drop", "sample", "mask"] as const;
export const INGEST_MASKS = ["card", "token", "email"] as const;
const TYPES = ["logs", "metrics", "traces"] as const;

const VALUE_CHARS_MAX = 1024;
const Value = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: VALUE_CHARS_MAX, description }));
const Severity = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 24, description }));

const Match = Type.Object(
  {
    service: Value("the service; of a sample, its tag `service.name` or else `service`"),
    level: Value("the level of a log, in upper or lower case"),
    severity_from: Severity("logs of this severity number or a higher one; 9 is info, 13 warn, 17 error"),
    severity_below: Severity("logs of a lower severity number"),
    name: Value("the name of a metric or span"),
    message_contains: Value("a part of the message of a log"),
    attributes: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: VALUE_CHARS_MAX }),
        Type.String({ maxLength: VALUE_CHARS_MAX }),
        {
          minProperties: 1,
          maxProperties: 16,
          description:
            "attributes, or tags of samples, with these values. The names are keys, or JSON pointers that begin with a slash",
        },
      ),
    ),
  },
  { ...closed, description: "the values that a row must have; all must match. Without any, every row matches" },
);

const Types = Type.Array(Type.Enum([...TYPES]), { minItems: 1, maxItems: 3, uniqueItems: true });
const KeepOneOf = Type.Integer({
  minimum: 2,
  maximum: 1_000_000,
  description: "for `sample`: one of so many rows is kept; all rows of a trace have the same result",
});
const Masks = Type.Array(Type.Enum([...INGEST_MASKS]), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description:
    "for `mask`: patterns that are replaced by their names in brackets, such as `[email]`, in the message, the name of a span, and the values of attributes and tags",
});
const Order = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: "rules run in this order, and equal ones in the order of their creation",
});

const settings = {
  name: DisplayName,
  enabled: Type.Boolean({ description: "false: the rule does nothing" }),
  order: Order,
  types: Types,
  match: Match,
};
const scope = {
  project: Type.Optional(nullable(IdOrSlug)),
  key_id: Type.Optional(
    nullable(
      Type.String({ maxLength: 64, description: "the id of the only ingest key or credential; null: all senders" }),
    ),
  ),
};
const action = { action: Type.Enum([...INGEST_RULE_ACTIONS]) };
const parameters = { keep_one_of: Type.Optional(KeepOneOf), masks: Type.Optional(Masks) };

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const IngestRule = Type.Object({
  id: Id,
  ...settings,
  project_id: nullable(Type.String({ description: "the only project; null: all rows" })),
  key_id: nullable(Type.String({ description: "the only ingest key or credential; null: all senders" })),
  ...action,
  keep_one_of: nullable(KeepOneOf),
  masks: nullable(Masks),
  rows_matched: Count("rows that it met since its creation"),
  rows_removed: Count("rows that it dropped or left out of the sample"),
  rows_masked: Count("rows in which it replaced something"),
  counted_at: nullable(Timestamp),
  created_by: Id,
  created_at: Timestamp,
  updated_by: Id,
  updated_at: Timestamp,
});

const Row = Type.Record(Type.String(), Type.Unknown());

const Preview = Type.Object({
  type: Type.Enum([...TYPES]),
  rows: Count("recent rows that were read"),
  rows_matched: Count("rows that the rule meets"),
  rows_removed: Count("rows that it would remove"),
  rows_masked: Count("rows that it would mask"),
  examples: Type.Array(
    Type.Object({ before: Row, after: nullable(Row) }, { description: "after: null if the row would be removed" }),
    { description: "the first rows that it would change" },
  ),
});

const ruleParams = Type.Object({ rule_id: Id });
const tag = "telemetry";

/** Rules that drop, sample or mask rows before they are stored. Mounted with the settings of telemetry. */
export const INGEST_RULE_ROWS = {
  listIngestRules: route({
    operationId: "listIngestRules",
    method: "GET",
    path: "/v1/ingest-rules",
    tag,
    summary: "List the rules for rows that arrive, newest first",
    permission: "org:write",
    query: listQuery,
    result: page(IngestRule),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  createIngestRule: route({
    operationId: "createIngestRule",
    method: "POST",
    path: "/v1/ingest-rules",
    tag,
    summary: "Create a rule that drops, samples or masks rows before they are stored",
    description:
      "When the answer comes, it applies to all requests that begin on every running node. Senders get the usual answer for removed rows.",
    permission: "org:write",
    body: Type.Object(
      {
        name: settings.name,
        enabled: Type.Optional(settings.enabled),
        order: Type.Optional(settings.order),
        types: settings.types,
        match: Type.Optional(settings.match),
        ...scope,
        ...action,
        ...parameters,
      },
      closed,
    ),
    result: IngestRule,
    status: 201,
    problems: ["invalid_body", "forbidden", "not_found", "limit_reached"],
    idempotent: true,
  }),
  previewIngestRule: route({
    operationId: "previewIngestRule",
    method: "POST",
    path: "/v1/ingest-rules/preview",
    tag,
    summary: "Try a rule on recent rows; nothing is stored",
    description:
      "Reads the newest rows of one type that the caller may see, of the project, service and name that the rule wants, and shows the effect. A rule is tried without its key, since stored rows have none. Also needs `telemetry:read`.",
    permission: "org:write",
    body: Type.Object(
      {
        type: Type.Enum([...TYPES]),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: "rows to read" })),
        match: Type.Optional(settings.match),
        project: scope.project,
        ...action,
        ...parameters,
      },
      closed,
    ),
    result: Preview,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found"],
  }),
  getIngestRule: route({
    operationId: "getIngestRule",
    method: "GET",
    path: "/v1/ingest-rules/{rule_id}",
    tag,
    summary: "Read a rule with its counts",
    permission: "org:write",
    params: ruleParams,
    result: IngestRule,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  updateIngestRule: route({
    operationId: "updateIngestRule",
    method: "PATCH",
    path: "/v1/ingest-rules/{rule_id}",
    tag,
    summary: "Change a rule; its action, project and key stay",
    permission: "org:write",
    params: ruleParams,
    headers: ["If-Match"],
    body: Type.Object(
      {
        name: Type.Optional(settings.name),
        enabled: Type.Optional(settings.enabled),
        order: Type.Optional(settings.order),
        types: Type.Optional(settings.types),
        match: Type.Optional(settings.match),
        ...parameters,
      },
      { ...closed, minProperties: 1 },
    ),
    result: IngestRule,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "concurrent_update"],
  }),
  deleteIngestRule: route({
    operationId: "deleteIngestRule",
    method: "DELETE",
    path: "/v1/ingest-rules/{rule_id}",
    tag,
    summary: "Delete a rule",
    permission: "org:write",
    params: ruleParams,
    status: 204,
    problems: ["forbidden", "not_found"],
  }),
} as const;
