import { LEVEL_CHARS_MAX, STATUS_CHARS_MAX } from "#kernel/limits.ts";
import { severityOf } from "#kernel/severity.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { EntryCheck, JsonObject } from "./check.ts";

/**
 * Returns the row of an entry, with the members of `COLUMNS`. An undefined member is absent from the JSON, which means
 * NULL. Reports faults to `check`; after a fault the result must not be used.
 */
type ToRow = (entry: JsonObject, projectId: string | undefined, check: EntryCheck) => object;

const LOG_MEMBERS = new Set(["timestamp", "level", "message", "service", "trace_id", "span_id", "attributes"]);
const METRIC_MEMBERS = new Set(["timestamp", "name", "value", "tags"]);
const TRACE_MEMBERS = new Set([
  "timestamp",
  "trace_id",
  "span_id",
  "parent_span_id",
  "name",
  "kind",
  "service",
  "status",
  "duration_ms",
  "attributes",
]);

export const ROW_OF: Readonly<Record<TelemetryType, ToRow>> = { logs: logRow, metrics: metricRow, traces: traceRow };

function logRow(entry: JsonObject, projectId: string | undefined, check: EntryCheck): object {
  check.members(entry, LOG_MEMBERS);
  const timestamp = check.timestamp(entry["timestamp"]);
  const level = check.text(entry, "level", LEVEL_CHARS_MAX);
  return {
    timestamp,
    level,
    severity: level === undefined ? undefined : severityOf(level),
    message: check.text(entry, "message"),
    service: check.service(entry),
    trace_id: check.optionalText(entry, "trace_id"),
    span_id: check.optionalText(entry, "span_id"),
    attributes: check.attributes(entry["attributes"]),
    project_id: projectId,
  };
}

function metricRow(entry: JsonObject, projectId: string | undefined, check: EntryCheck): object {
  check.members(entry, METRIC_MEMBERS);
  return {
    timestamp: check.timestamp(entry["timestamp"]),
    name: check.text(entry, "name"),
    value: check.number(entry, "value"),
    tags: check.tagsWithService(entry["tags"]),
    project_id: projectId,
  };
}

function traceRow(entry: JsonObject, projectId: string | undefined, check: EntryCheck): object {
  check.members(entry, TRACE_MEMBERS);
  return {
    timestamp: check.timestamp(entry["timestamp"]),
    trace_id: check.text(entry, "trace_id"),
    span_id: check.text(entry, "span_id"),
    parent_span_id: check.optionalText(entry, "parent_span_id"),
    name: check.text(entry, "name"),
    kind: check.optionalText(entry, "kind"),
    service: check.service(entry),
    status: check.text(entry, "status", STATUS_CHARS_MAX),
    duration_ms: check.number(entry, "duration_ms"),
    attributes: check.attributes(entry["attributes"]),
    project_id: projectId,
  };
}
