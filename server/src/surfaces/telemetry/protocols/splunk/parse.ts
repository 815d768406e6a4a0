import { exactJson } from "#kernel/json-text.ts";
import { INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { isoFromMs } from "#kernel/time.ts";
import { isObject, type JsonObject } from "../../wire/check.ts";
import { unmarkedName } from "../../wire/order.ts";
import { documentEntryOf, textEntryOf, type SentFields } from "../document.ts";
import { jsonLineOf, objectsIn } from "../json-body.ts";
import type { ParseContext, Report } from "../parser.ts";
import { parseRaw } from "../raw/parse.ts";
import { timeOfMs } from "../times.ts";

/** The first fault of a request, by Splunk's codes ("HTTP Event Collector REST API endpoints", status codes). */
export interface SplunkReport extends Report {
  readonly code: number;
  readonly text: string;
  /** The number of the first bad event, from 0. Absent when all were taken. */
  readonly event?: number;
}

const SUCCESS = { code: 0, text: "Success" };
const NO_DATA = { code: 5, text: "No data" };
const FORMAT = 6;
const METADATA = ["host", "source", "sourcetype", "index"] as const;
/** Later numbers are milliseconds: as seconds, they would be after the year 5000. */
const SECONDS_MAX = 100_000_000_000;

/** Reads JSON objects one after another, with or without space between them. The good events are stored. */
export function parseSplunkEvents(body: Buffer, context: ParseContext): SplunkReport {
  let first: SplunkReport | undefined;
  let number = 0;
  for (const bytes of objectsIn(body)) {
    const fault = addEvent(bytes, context);
    if (fault !== undefined) first ??= { ...fault, event: number };
    number += 1;
  }
  return first ?? (number === 0 ? NO_DATA : SUCCESS);
}

interface Fault {
  readonly code: number;
  readonly text: string;
}

function addEvent(bytes: Buffer, context: ParseContext): Fault | undefined {
  const sent = bytes.length > INGEST_ENTRY_BYTES_MAX ? undefined : jsonLineOf(bytes);
  if (!isObject(sent)) return { code: FORMAT, text: "Invalid data format" };
  const { event } = sent;
  if (event === undefined || event === null) return { code: 12, text: "Event field is required" };
  if (event === "") return { code: 13, text: "Event field cannot be blank" };
  if (event === "metric")
    return { code: FORMAT, text: "Events of the type metric are not taken; send OTLP or remote write" };
  const time = sent["time"] === undefined ? undefined : timeOf(sent["time"]);
  if (sent["time"] !== undefined && time === undefined)
    return { code: FORMAT, text: "time must be seconds since 1970" };
  const fields = fieldsOf(sent, time ?? isoFromMs(context.receivedMs));
  const entry = isObject(event)
    ? documentEntryOf(event, fields)
    : textEntryOf(textOf(event) ?? JSON.stringify(event), fields);
  const refused = context.out.add({ rows: [{ entry }], faults: [], isTimeless: time === undefined });
  return refused === undefined ? undefined : { code: FORMAT, text: `Invalid data format: ${refused}` };
}

/** Fields beside the event. `fields` may name the level, the service and the trace. */
function fieldsOf(sent: JsonObject, timestamp: string): SentFields {
  const extra = isObject(sent["fields"]) ? sent["fields"] : {};
  const named = (...names: readonly string[]): string | undefined =>
    names.map((name) => textOf(extra[name])).find((value) => value !== undefined);
  const metadata = METADATA.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]] as const);
  return {
    timestamp,
    level: named("level", "severity"),
    service: named("service.name", "service"),
    trace_id: named("trace_id"),
    span_id: named("span_id"),
    fallbackService: textOf(sent["source"]),
    attributes: [...metadata, ...Object.entries(extra).map(([name, value]) => [unmarkedName(name), value] as const)],
  };
}

/** Seconds since the epoch with a fraction, as a number or text. */
function timeOf(value: unknown): string | undefined {
  const text = textOf(value) ?? "";
  const [, whole = "", fraction = ""] = /^(\d{1,15})(?:\.(\d{0,9}))?$/.exec(text) ?? [];
  if (whole === "") return undefined;
  if (Number(whole) > SECONDS_MAX) return timeOfMs(Number(whole));
  const digits = fraction.padEnd(6, "0");
  return timeOfMs(Number(whole) * 1000 + Number(digits.slice(0, 3)), digits.slice(3, 6));
}

function textOf(value: unknown): string | undefined {
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Reads lines of text ("Format events for HTTP Event Collector", raw events), with the parameters as attributes. */
export function parseSplunkRaw(body: Buffer, context: ParseContext): SplunkReport {
  const { source, ...others } = context.settings;
  const settings = source === undefined ? others : { ...others, service: source, source };
  const { accepted, rejected, errors } = parseRaw(body, { ...context, settings });
  if (accepted + rejected === 0) return NO_DATA;
  return errors[0] === undefined ? SUCCESS : { code: FORMAT, text: `Invalid data format: ${errors[0].detail}` };
}
