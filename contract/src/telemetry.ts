import Type from "typebox";
import { route } from "./route.ts";

/** Body of an ingest request. The reference defines `entries`. The members of an entry depend on the type. */
export const IngestBody = Type.Object(
  {
    entries: Type.Array(Type.Object({}, { additionalProperties: true }), {
      maxItems: 1000,
      description:
        "logs: timestamp level message [attributes service trace_id span_id]; metrics: timestamp name value [tags]; " +
        "traces: timestamp trace_id span_id name duration_ms status [attributes parent_span_id kind service]",
    }),
  },
  { additionalProperties: false },
);

export const IngestResult = Type.Object({
  accepted: Type.Integer({ minimum: 0, description: "entries that are on disk now" }),
  rejected: Type.Optional(Type.Integer({ minimum: 1, description: "refused entries, with Prefer: handling=lenient" })),
  errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
});

/** Filters of a tail: all conditions must hold. */
export const TailQuery = Type.Object(
  {
    level: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description: "this level and more severe ones; for an unknown level, only that level",
      }),
    ),
    service: Type.Optional(Type.String({ maxLength: 256 })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "text in the message, in upper or lower case",
      }),
    ),
    trace_id: Type.Optional(Type.String({ maxLength: 256 })),
    last_event_id: Type.Optional(
      Type.String({ maxLength: 64, description: "for clients that can't send the field Last-Event-ID" }),
    ),
  },
  { patternProperties: { "^attributes\\..": Type.String({ maxLength: 256 }) } },
);

export const TELEMETRY_ROUTES = {
  ingest: route({
    operationId: "ingest",
    method: "POST",
    path: "/v1/ingest/{type}",
    tag: "telemetry",
    summary: "Ingest a batch of logs, metrics or traces",
    description:
      "The server accepts all or none of a batch, and flushes it to disk before the answer. With `Prefer: handling=lenient` it accepts the valid " +
      "entries. `Content-Encoding` may be gzip, deflate or zstd. JSON lines, one entry each, may be sent as `application/x-ndjson`, " +
      "`application/ndjson` or `application/jsonl`; pointers then count the lines that are not blank.",
    permission: "telemetry:write",
    takesIngestKeys: true,
    resource: "services",
    params: Type.Object({ type: Type.Enum(["logs", "metrics", "traces"]) }),
    headers: ["Idempotency-Key", "Prefer", "X-Mooring-Project"],
    body: IngestBody,
    otherBodies: { "application/x-ndjson": "one entry per line, 1000 at most" },
    result: IngestResult,
    status: 202,
    problems: ["quota_exceeded", "disk_full", "idempotency_key_reused", "invalid_request", "forbidden", "not_found"],
    rawBody: true,
  }),
  tailLogs: route({
    operationId: "tailLogs",
    access: "logs.tail",
    method: "GET",
    path: "/v1/tail/logs",
    tag: "telemetry",
    summary: "Stream log entries as they are accepted",
    description:
      "Server-sent events: `entry` (a row as in a query), `position` and comments (signs of life), `gap` (entries that were left out, " +
      "with the reason), `end` (the reason why the stream ends). `Last-Event-ID` continues after that event. `attributes.<name>=<value>` may be given for up to " +
      "10 names.",
    permission: "telemetry:read",
    resource: "services",
    query: TailQuery,
    result: Type.String({ description: "events, see docs/reference/tail.md" }),
    resultType: "text/event-stream",
    status: 200,
    problems: ["not_acceptable", "quota_exceeded"],
  }),
};
