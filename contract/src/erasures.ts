import Type from "typebox";
import { closed, Id, listQuery, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

/** The tables whose rows can be erased. */
export const ERASED_TYPES = ["logs", "metrics", "traces", "access_log", "query_log", "webhook_events"] as const;

const MATCHED_CHARS_MAX = 65_536;
const MATCHED_KEYS_MAX = 16;
const WHERE_CHARS_MAX = 65_536;

const matched = (description: string) =>
  Type.Optional(Type.String({ maxLength: MATCHED_CHARS_MAX, description: `equal to this; of ${description}` }));
const matchedMembers = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ maxLength: 1024 }), Type.String({ maxLength: MATCHED_CHARS_MAX }), {
      minProperties: 1,
      maxProperties: MATCHED_KEYS_MAX,
      description,
    }),
  );

/** The rows that an erasure chooses. */
const choice = {
  types: Type.Array(Type.Enum(ERASED_TYPES), {
    minItems: 1,
    uniqueItems: true,
    maxItems: 3,
    description:
      "with where: one; webhook_events, access_log and query_log only with where. Rows of access_log and query_log stay, without the columns about the actor and without statements",
  }),
  from: Type.Optional(Type.String({ format: "date-time", description: "only rows at or after this time" })),
  to: Type.Optional(Type.String({ format: "date-time", description: "only rows before this time" })),
  where: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WHERE_CHARS_MAX,
      description:
        "a boolean SQL expression over the columns of the one type, without subqueries, parameters, and functions with changing results; now() is the time of the request. NULL counts as false",
    }),
  ),
  match: Type.Optional(
    Type.Object(
      {
        project_id: matched("all types: the id of a project"),
        service: matched("all types"),
        trace_id: matched("logs and traces"),
        level: matched("logs"),
        name: matched("metrics and traces"),
        message: matched("logs"),
        attributes: matchedMembers(
          "for logs and traces. The names are keys, or JSON pointers that begin with a slash; the values are texts as in `attributes->>'key'`",
        ),
        tags: matchedMembers("for metrics. The names are tags, the values texts"),
      },
      { ...closed, minProperties: 1, description: "the values that a row must have; all must match" },
    ),
  ),
};

export const ErasureBody = Type.Object(
  {
    ...choice,
    rows_expected: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "the rows of a preview. If more than 1 % more rows match now, nothing is erased; a larger number confirms them. Required with where",
      }),
    ),
  },
  { ...closed, description: "with either match or where" },
);

export const ErasurePreview = Type.Object({
  rows: Type.Integer({ minimum: 0, description: "of all types together" }),
  is_complete: Type.Boolean({
    description: "false: the erasure also removes rows of projects that the caller may not see, which are not counted",
  }),
  types: Type.Array(
    Type.Object({
      type: Type.Enum(ERASED_TYPES),
      rows: Type.Integer({ minimum: 0 }),
      oldest: nullable(Timestamp),
      newest: nullable(Timestamp),
      files: Type.Integer({ minimum: 0, description: "files of the times of the request, which the erasure reads" }),
    }),
  ),
  backups: Type.Array(Type.Object({ name: Type.String(), started_at: Timestamp }), {
    description: "backups that began after the oldest of these rows, newest first, at most 100: they still have rows",
  }),
});

const ErasureStateName = Type.Enum(["pending", "running", "done", "failed"]);

export const Erasure = Type.Object({
  id: Id,
  state: ErasureStateName,
  types: Type.Array(Type.Enum(ERASED_TYPES)),
  match_digest: Type.String({
    description:
      "keyed hash of the time range and match; equal requests have equal hashes. The values of match are not stored",
  }),
  rows_erased: Type.Integer({ minimum: 0 }),
  files_rewritten: Type.Integer({ minimum: 0, description: "files that were rewritten or deleted" }),
  quarantined: Type.Array(Type.String(), {
    description: "files that the server could not read and moved to quarantine; a person must examine them",
  }),
  directories: Type.Array(
    Type.Object({
      id: Id,
      state: ErasureStateName,
      rows_erased: Type.Integer({ minimum: 0 }),
      detail: nullable(Type.String()),
      finished_at: nullable(Timestamp),
    }),
    { description: "the progress in each telemetry directory of the deployment" },
  ),
  created_by: Id,
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
});

/** Erasure of telemetry and of events of webhooks. */
export const ERASURE_ROWS = {
  createTelemetryErasure: route({
    operationId: "createTelemetryErasure",
    method: "POST",
    path: "/v1/telemetry/erasures",
    tag: "telemetry",
    summary: "Erase the rows that match, for good",
    description:
      "Erases rows that were acknowledged before the request, in every project, also in private ones. A condition in SQL is counted first. The erasure is `done` when " +
      "no file of the store has the rows any more. Then the values of match are deleted, and only their digest stays.",
    permission: "org:write",
    recentSignIn: true,
    body: ErasureBody,
    result: Erasure,
    status: 202,
    problems: ["invalid_body", "invalid_sql", "sql_not_allowed", "forbidden", "more_rows_match", "limit_reached"],
    idempotent: true,
  }),
  previewTelemetryErasure: route({
    operationId: "previewTelemetryErasure",
    method: "POST",
    path: "/v1/telemetry/erasures/preview",
    tag: "telemetry",
    summary: "Count the rows that an erasure would erase",
    description:
      "Counts rows of the projects that the caller may see, and erases nothing. The condition is also tried on all other rows.",
    permission: "org:write",
    body: Type.Object(choice, { ...closed, description: "with either match or where" }),
    result: ErasurePreview,
    status: 200,
    problems: ["invalid_body", "invalid_sql", "sql_not_allowed", "forbidden"],
  }),
  listTelemetryErasures: route({
    operationId: "listTelemetryErasures",
    method: "GET",
    path: "/v1/telemetry/erasures",
    tag: "telemetry",
    summary: "List erasures, newest first",
    permission: "org:write",
    query: listQuery,
    result: page(Erasure),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  getTelemetryErasure: route({
    operationId: "getTelemetryErasure",
    method: "GET",
    path: "/v1/telemetry/erasures/{erasure_id}",
    tag: "telemetry",
    summary: "Show the progress of an erasure",
    permission: "org:write",
    params: Type.Object({ erasure_id: Id }),
    result: Erasure,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
} as const;
