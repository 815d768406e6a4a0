import { SEVERITY_MAX, severityName } from "#kernel/severity.ts";
import type { LogRecord, Requests } from "./messages.ts";
import {
  idFaults,
  idOf,
  nestedFaults,
  objectOf,
  originOf,
  pairsOf,
  plainOf,
  textOf,
  timestampOf,
  type Origin,
} from "./values.ts";
import type { Mapped } from "../records.ts";

/** Maps log records to entries. `received` is the time of records without one. */
export function* mapLogs(request: Requests["logs"], received: string): Generator<Mapped> {
  for (const { resource, scopeLogs } of request.resourceLogs ?? []) {
    for (const { scope, logRecords } of scopeLogs ?? []) {
      const origin = originOf(resource, scope);
      for (const record of logRecords ?? []) yield mapLog(record, origin, received);
    }
  }
}

function mapLog(record: LogRecord, origin: Origin, received: string): Mapped {
  const severity = severityOf(record.severityNumber);
  const event = record.eventName ? [["event.name", record.eventName] as const] : [];
  const time = timestampOf(record.timeUnixNano) ?? timestampOf(record.observedTimeUnixNano);
  const entry = {
    timestamp: time ?? received,
    level: record.severityText || (severityName(severity) ?? "unspecified"),
    message: textOf(record.body),
    service: origin.service,
    trace_id: idOf(record.traceId),
    span_id: idOf(record.spanId),
    attributes: objectOf([...origin.pairs, ...event, ...pairsOf(record.attributes)]),
  };
  const faults = [
    ...idFaults("trace_id", record.traceId, 32),
    ...idFaults("span_id", record.spanId, 16),
    ...(record.body?.stringValue === undefined ? nestedFaults("body", plainOf(record.body)) : []),
  ];
  return { rows: [{ entry, severity }], faults, project: origin.project, isTimeless: time === undefined };
}

/** A sent severity number has priority over the word of the level. */
function severityOf(number: number | undefined): number | undefined {
  return number !== undefined && number >= 1 && number <= SEVERITY_MAX ? number : undefined;
}
