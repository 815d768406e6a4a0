import Type from "typebox";
import { Id, IdOrSlug, closed, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { CursorQuery, DisplayName, Timestamp } from "./shared.ts";

const alertParams = Type.Object({ alert_id: Id });
const Description = Type.String({ maxLength: 2000 });
const Url = Type.String({ minLength: 1, maxLength: 2048, description: "https, to a public address" });

export const ALERT_STATES = ["ok", "pending", "firing", "error", "stopped", "paused"] as const;
export const ALERT_OPERATORS = [">", ">=", "<", "<=", "==", "!="] as const;
export const ALERT_EVENTS = [
  "alert.firing",
  "alert.reminder",
  "alert.resolved",
  "alert.error",
  "alert.recovered",
  "alert.stopped",
  "alert.test",
] as const;

const Condition = Type.Object(
  {
    column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "the compared column of the first row; without it, the number of rows is compared",
      }),
    ),
    operator: Type.Enum([...ALERT_OPERATORS]),
    threshold: Type.Number({ description: "at most 9999 if the number of rows is compared" }),
  },
  closed,
);

const settings = {
  every_s: Type.Integer({ minimum: 10, maximum: 86_400, description: "seconds from one evaluation to the next" }),
  window_s: Type.Integer({
    minimum: 1,
    maximum: 2_678_400,
    description: "the time from $from to $to; by default the same as every_s",
  }),
  condition: Condition,
  for_evaluations: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: "consecutive evaluations in which the condition holds before the alert fires",
  }),
  no_data: Type.Enum(["ok", "firing", "keep"], {
    default: "ok",
    description: "the state when the result has no row, or NULL in the column; keep: no change",
  }),
  renotify_s: nullable(
    Type.Integer({
      minimum: 60,
      maximum: 2_678_400,
      description: "the time between repeated messages while the alert fires; null: one message only",
    }),
  ),
  notify_resolved: Type.Boolean({ default: true, description: "whether a message is sent when an incident ends" }),
};

const optional = {
  description: Type.Optional(Description),
  window_s: Type.Optional(nullable(settings.window_s)),
  for_evaluations: Type.Optional(settings.for_evaluations),
  no_data: Type.Optional(settings.no_data),
  renotify_s: Type.Optional(settings.renotify_s),
  notify_resolved: Type.Optional(settings.notify_resolved),
  enabled: Type.Optional(Type.Boolean({ default: true, description: "false: paused" })),
};

const Fault = nullable(Type.Object({ code: Type.String(), detail: Type.String() }));

export const Alert = Type.Object({
  id: Id,
  name: DisplayName,
  description: Type.String(),
  query_id: Id,
  project_id: nullable(Type.String({ description: "the project of the query" })),
  url: Type.String({ description: "callers who may not change the alert see only the beginning" }),
  ...settings,
  window_s: nullable(settings.window_s),
  enabled: Type.Boolean(),
  state: Type.Enum([...ALERT_STATES]),
  state_since: Timestamp,
  incident_id: nullable(Id),
  value: nullable(Type.Number({ description: "the value that the last evaluation compared" })),
  error: Fault,
  evaluated_at: nullable(Timestamp),
  created_by: Id,
  created_at: Timestamp,
  updated_by: Type.String({ description: "the query runs with the permissions of this person or credential" }),
  updated_at: Timestamp,
});

const secret = nullable(Type.String({ description: "whsec_…, for checking signatures; shown once" }));
const replayed = Type.Optional(
  Type.Literal(true, { description: "the answer to a repeated Idempotency-Key; members that are shown once are null" }),
);

export const NewAlert = Type.Object({ ...Alert.properties, secret, replayed });

export const AlertDelivery = Type.Object({
  id: Type.String({ description: "the webhook-id of every attempt" }),
  sequence: Type.Integer({ description: "numbers the messages of an alert" }),
  type: Type.Enum([...ALERT_EVENTS]),
  status: Type.Enum(["pending", "delivered", "dead"]),
  attempts: Type.Integer(),
  created_at: Timestamp,
  last_attempt_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
  response_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
});

export const AlertEvaluation = Type.Object({
  sequence: Type.Integer(),
  at: Timestamp,
  outcome: Type.Enum(["true", "false", "no_data", "error", "stopped"]),
  state: Type.Enum([...ALERT_STATES]),
  value: nullable(Type.Number()),
  error: Fault,
  elapsed_ms: Type.Integer(),
});

const writing = "Needs `telemetry:read` as well.";

export const ALERT_ROUTES = {
  listAlerts: route({
    operationId: "listAlerts",
    secret: true,
    method: "GET",
    path: "/v1/alerts",
    tag: "alerts",
    summary: "List the alerts that the token can reach, newest first",
    permission: "telemetry:read",
    resource: "unlimited",
    query: Type.Object({ ...CursorQuery, project: Type.Optional(IdOrSlug) }),
    result: page(Alert),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createAlert: route({
    operationId: "createAlert",
    secret: true,
    method: "POST",
    path: "/v1/alerts",
    tag: "alerts",
    summary: "Create an alert on a saved query",
    description: `The alert belongs to the query's project or organization. It runs with the permissions of the actor who creates or changes it. ${writing}`,
    permission: "webhooks:write",
    resource: "unlimited",
    body: Type.Object(
      {
        name: DisplayName,
        query_id: Id,
        url: Url,
        every_s: settings.every_s,
        condition: settings.condition,
        ...optional,
      },
      closed,
    ),
    result: NewAlert,
    status: 201,
    problems: ["invalid_body", "not_found", "limit_reached"],
    idempotent: true,
  }),
  getAlert: route({
    operationId: "getAlert",
    secret: true,
    method: "GET",
    path: "/v1/alerts/{alert_id}",
    tag: "alerts",
    summary: "Read an alert and its state",
    permission: "telemetry:read",
    resource: "unlimited",
    params: alertParams,
    result: Alert,
    status: 200,
    problems: ["not_found"],
  }),
  updateAlert: route({
    operationId: "updateAlert",
    secret: true,
    method: "PATCH",
    path: "/v1/alerts/{alert_id}",
    tag: "alerts",
    summary: "Change, pause or resume an alert",
    description: `If the alert does not fire, it counts its evaluations from 0 again. If it fires, the incident continues until an evaluation ends it. Pausing an alert ends its incident. ${writing}`,
    headers: ["If-Match"],
    permission: "webhooks:write",
    resource: "unlimited",
    params: alertParams,
    body: Type.Object(
      {
        name: Type.Optional(DisplayName),
        url: Type.Optional(Url),
        every_s: Type.Optional(settings.every_s),
        condition: Type.Optional(settings.condition),
        ...optional,
      },
      { ...closed, minProperties: 1 },
    ),
    result: Alert,
    status: 200,
    problems: ["invalid_body", "not_found", "concurrent_update"],
  }),
  deleteAlert: route({
    operationId: "deleteAlert",
    method: "DELETE",
    path: "/v1/alerts/{alert_id}",
    tag: "alerts",
    summary: "Delete an alert; its pending messages are not sent",
    description: writing,
    permission: "webhooks:write",
    resource: "unlimited",
    params: alertParams,
    status: 204,
    problems: ["not_found"],
  }),
  testAlert: route({
    operationId: "testAlert",
    method: "POST",
    path: "/v1/alerts/{alert_id}/test",
    tag: "alerts",
    summary: "Send a signed test message to the alert's destination",
    description: `The list of deliveries has the result. ${writing}`,
    permission: "webhooks:write",
    resource: "unlimited",
    params: alertParams,
    result: AlertDelivery,
    status: 202,
    problems: ["not_found", "conflict"],
  }),
  rotateAlertSecret: route({
    operationId: "rotateAlertSecret",
    secret: true,
    method: "POST",
    path: "/v1/alerts/{alert_id}/rotate-secret",
    tag: "alerts",
    summary: "Replace the secret that signs an alert's messages",
    description: `The old secret also signs for \`overlap_s\` seconds. ${writing}`,
    permission: "webhooks:write",
    resource: "unlimited",
    recentSignIn: true,
    params: alertParams,
    body: Type.Object(
      { overlap_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 86_400 })) },
      closed,
    ),
    result: Type.Object({ secret, former_secret_until: nullable(Timestamp), replayed }),
    status: 201,
    problems: ["invalid_body", "not_found"],
    idempotent: true,
  }),
  listAlertDeliveries: route({
    operationId: "listAlertDeliveries",
    method: "GET",
    path: "/v1/alerts/{alert_id}/deliveries",
    tag: "alerts",
    summary: "List the last 100 messages of an alert and whether they arrived, newest first",
    permission: "telemetry:read",
    resource: "unlimited",
    params: alertParams,
    query: Type.Object({ ...CursorQuery }),
    result: page(AlertDelivery),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  listAlertEvaluations: route({
    operationId: "listAlertEvaluations",
    method: "GET",
    path: "/v1/alerts/{alert_id}/evaluations",
    tag: "alerts",
    summary: "List the last 100 evaluations of an alert, newest first",
    permission: "telemetry:read",
    resource: "unlimited",
    params: alertParams,
    query: Type.Object({ ...CursorQuery }),
    result: page(AlertEvaluation),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
} as const;
