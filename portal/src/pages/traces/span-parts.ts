import { parsedJson } from "../../kit/chart-rows.ts";
import type { Span } from "./trace-tree.ts";

export interface SpanEvent {
  readonly name: string;
  readonly atMs: number | null;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

/** Attributes that are not in the list, since they are shown elsewhere. */
const APART: ReadonlySet<string> = new Set(["events", "status.message"]);

/** Returns the attributes by name, with values as text or JSON. */
export function attributesOf({ attributes }: Pick<Span, "attributes">): readonly (readonly [string, string])[] {
  return pairsOf(attributes).filter(([name]) => !APART.has(name));
}

/** Returns the events of a span, which are JSON in an attribute. Invalid ones are omitted. */
export function eventsOf({ attributes }: Pick<Span, "attributes">): readonly SpanEvent[] {
  const { events } = attributes;
  const parsed = typeof events === "string" ? parsedJson(events) : events;
  if (!Array.isArray(parsed)) return [];
  return parsed.filter(isObject).map((event) => ({
    name: typeof event["name"] === "string" ? event["name"] : "event",
    atMs: momentOf(event),
    attributes: isObject(event["attributes"]) ? pairsOf(event["attributes"]) : [],
  }));
}

function momentOf(event: Readonly<Record<string, unknown>>): number | null {
  const nanoseconds = event["timeUnixNano"] ?? event["time_unix_nano"];
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6 || null;
  const text = event["timestamp"] ?? event["time"];
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function pairsOf(object: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(object)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
