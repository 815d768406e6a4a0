import type { ProblemPlace } from "#kernel/problem.ts";
import type { JsonObject } from "../check.ts";
import type { Requests, Span, SpanEvent, SpanLink } from "./messages.ts";
import { idFaults, idOf, nestedFaults, objectOf, originOf, pairsOf, timestampOf, type Origin } from "./values.ts";
import type { Mapped } from "../records.ts";

/** `Span.SpanKind`; 0 is "unspecified". */
const KINDS = [undefined, "internal", "server", "client", "producer", "consumer"] as const;
const STATUS_ERROR = 2;

export function* mapTraces(request: Requests["traces"]): Generator<Mapped> {
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    for (const { scope, spans } of scopeSpans ?? []) {
      const origin = originOf(resource, scope);
      for (const span of spans ?? []) yield mapSpan(span, origin);
    }
  }
}

function mapSpan(span: Span, origin: Origin): Mapped {
  const events = (span.events ?? []).map(eventOf);
  const links = (span.links ?? []).map(linkOf);
  const start = span.startTimeUnixNano ?? 0n;
  const end = span.endTimeUnixNano || start;
  const entry = {
    timestamp: timestampOf(start),
    trace_id: idOf(span.traceId),
    span_id: idOf(span.spanId),
    parent_span_id: idOf(span.parentSpanId),
    name: span.name ?? "",
    kind: KINDS[span.kind ?? 0],
    service: origin.service,
    status: span.status?.code === STATUS_ERROR ? "error" : "ok",
    duration_ms: Number(end - start) / 1e6,
    attributes: objectOf([...origin.pairs, ...textsOf(span), ...pairsOf(span.attributes)]),
  };
  const faults = faultsOf(span, [...events, ...links]);
  return { rows: [{ entry, details: detailsOf(events, links) }], faults, project: origin.project };
}

function textsOf(span: Span): [string, string][] {
  const texts: [string, string][] = [];
  if (span.status?.message) texts.push(["status.message", span.status.message]);
  if (span.traceState) texts.push(["trace_state", span.traceState]);
  return texts;
}

/**
 * A span with 128 events (the usual limit) has more keys than an entry may have, so the limit applies to each event and
 * link instead.
 */
function detailsOf(events: readonly object[], links: readonly object[]): JsonObject | undefined {
  if (events.length === 0 && links.length === 0) return undefined;
  return { ...(events.length > 0 ? { events } : {}), ...(links.length > 0 ? { links } : {}) };
}

function eventOf(event: SpanEvent): object {
  return {
    time: timestampOf(event.timeUnixNano),
    name: event.name ?? "",
    attributes: objectOf(pairsOf(event.attributes)),
  };
}

function linkOf(link: SpanLink): object {
  return {
    trace_id: idOf(link.traceId),
    span_id: idOf(link.spanId),
    trace_state: link.traceState || undefined,
    attributes: objectOf(pairsOf(link.attributes)),
  };
}

function faultsOf(span: Span, nested: readonly object[]): ProblemPlace[] {
  return [
    ...idFaults("trace_id", span.traceId, 32),
    ...idFaults("span_id", span.spanId, 16),
    ...idFaults("parent_span_id", span.parentSpanId, 16),
    ...nested.flatMap((part) => nestedFaults("events", part)),
  ];
}
