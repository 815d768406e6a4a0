import { hexOf, randomOf } from "./random.ts";
import { REGIONS, say, WEB_SERVICES } from "./templates.ts";

/** The numbers of entries and spans, and their times. The seed determines everything else. */
export interface Shape {
  readonly entries: number;
  readonly spans: number;
  readonly seed: number;
  /** Time of the first entry, in milliseconds since the epoch. */
  readonly startMs: number;
}

const SPREAD_US = 6 * 3600 * 1_000_000;
const SPANS_PER_TRACE = 4;
const TRACED_SHARE = 0.3;
const LATE_SHARE = 0.01;
const LATE_US_MAX = 600 * 1_000_000;
/** The most traces between an entry's time and its trace. */
const TRACE_WINDOW = 50;
const OPERATIONS = ["authorize", "load cart", "SELECT orders", "INSERT payments", "publish event", "render"];

export function tracesOf(shape: Shape): number {
  return Math.max(1, Math.floor(shape.spans / SPANS_PER_TRACE));
}

export function traceId(shape: Shape, trace: number): string {
  return hexOf(shape.seed * 100_000_007 + trace, 32);
}

function spanId(shape: Shape, trace: number, nth: number): string {
  return hexOf((shape.seed + 1) * 100_000_007 + trace * SPANS_PER_TRACE + nth, 16);
}

/** Returns log entries `first` to `first + count`, one JSON object each. All but one in a hundred are in order of time. */
export function logLines(shape: Shape, first: number, count: number): string[] {
  const random = randomOf(shape.seed * 1_000_003 + first);
  const traces = tracesOf(shape);
  const stepUs = SPREAD_US / shape.entries;
  return Array.from({ length: count }, (_, i) => {
    const { service, level, message, attributes } = say(random);
    const lateUs = random.share() < LATE_SHARE ? random.below(LATE_US_MAX) : 0;
    const timestamp = timeOf(shape, (first + i + random.share()) * stepUs - lateUs);
    const entry = { timestamp, level, message, service };
    if (random.share() >= TRACED_SHARE) return JSON.stringify({ ...entry, attributes });
    const near = Math.floor(((first + i) / shape.entries) * traces) + random.below(TRACE_WINDOW);
    const trace = Math.min(traces - 1, near);
    const ids = { trace_id: traceId(shape, trace), span_id: spanId(shape, trace, random.below(SPANS_PER_TRACE)) };
    return JSON.stringify({ ...entry, ...ids, attributes });
  });
}

/** Returns spans `first` to `first + count`. Each trace has four; the first is the parent of the others. */
export function spanLines(shape: Shape, first: number, count: number): string[] {
  const random = randomOf(shape.seed * 2_000_003 + first);
  const stepUs = SPREAD_US / shape.spans;
  return Array.from({ length: count }, (_, i) => {
    const trace = Math.floor((first + i) / SPANS_PER_TRACE);
    const nth = (first + i) % SPANS_PER_TRACE;
    const root = nth === 0;
    return JSON.stringify({
      timestamp: timeOf(shape, (first + i + random.share()) * stepUs),
      trace_id: traceId(shape, trace),
      span_id: spanId(shape, trace, nth),
      ...(root ? {} : { parent_span_id: spanId(shape, trace, 0) }),
      name: root
        ? `${random.pick(["GET", "POST"])} /api/${random.pick(["orders", "cart", "products"])}`
        : random.pick(OPERATIONS),
      kind: root ? "server" : "internal",
      service: random.pick(WEB_SERVICES),
      status: random.share() < 0.97 ? "ok" : "error",
      duration_ms: Math.round(random.share() ** 4 * 80_000) / 100,
      attributes: { region: random.pick(REGIONS), "http.status_code": random.pick([200, 200, 200, 404, 500]) },
    });
  });
}

/** Returns ISO 8601 with microseconds. */
function timeOf(shape: Shape, afterUs: number): string {
  const us = Math.floor(afterUs);
  const ms = Math.floor(us / 1000);
  const rest = us - ms * 1000;
  return `${new Date(shape.startMs + ms).toISOString().slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}
