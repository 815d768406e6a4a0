import { Problem } from "#kernel/problem.ts";
import { exactJson } from "#kernel/json-text.ts";
import { isObject } from "../../wire/check.ts";
import { unmarkedName } from "../../wire/order.ts";
import { decodeProtobuf } from "../../wire/protobuf/decode.ts";
import { jsonBodyOf, jsonLineOf } from "../json-body.ts";
import { documentEntryOf, textEntryOf } from "../document.ts";
import type { ParseContext, Report } from "../parser.ts";
import { timeOfNanos } from "../times.ts";
import { labelsOf } from "./labels.ts";
import { PUSH_REQUEST, type PushRequest } from "./messages.ts";

export interface LokiReport extends Report {
  /** The number of refused entries, and the fault of the first. */
  readonly refused: number;
  readonly fault: string | null;
}

type Pairs = readonly (readonly [string, string])[];

/** Reads a PushRequest. @throws Problem as `decodeProtobuf` */
export function parseLokiProtobuf(body: Buffer, context: ParseContext): LokiReport {
  const reader = new StreamReader(context);
  const { streams = [] } = decodeProtobuf(PUSH_REQUEST, body) as PushRequest;
  for (const { labels = "{}", entries = [] } of streams) {
    const pairs = labelsOf(labels);
    for (const { timestamp: { seconds = 0, nanos = 0 } = {}, line = "", metadata = [] } of entries) {
      const text = String(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
      reader.add(pairs, { time: timeOfNanos(text), line, metadata: metadata.map(pairOf) });
    }
  }
  return reader.report();
}

/**
 * Reads the JSON form (Loki HTTP API, "Ingest logs"), and the older one with labels as text, at the same path.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export function parseLokiJson(body: Buffer, context: ParseContext): LokiReport {
  const value = jsonBodyOf(body);
  const streams = isObject(value) ? value["streams"] : undefined;
  if (!Array.isArray(streams)) throw new Problem("invalid_body", "cannot read the body: streams must be a list");
  const reader = new StreamReader(context);
  for (const stream of streams as unknown[]) if (isObject(stream)) readStream(reader, stream);
  return reader.report();
}

function readStream(reader: StreamReader, stream: Readonly<Record<string, unknown>>): void {
  const labels = typeof stream["labels"] === "string" ? labelsOf(stream["labels"]) : pairsOf(stream["stream"]);
  for (const value of listOf(stream["values"])) {
    const [time, line, metadata] = listOf(value);
    reader.add(labels, { time: timeOfNanos(textOf(time)), line: textOf(line), metadata: pairsOf(metadata) });
  }
  for (const entry of listOf(stream["entries"])) {
    const { ts, timestamp, line } = isObject(entry) ? entry : {};
    reader.add(labels, { time: textOf(ts ?? timestamp), line: textOf(line), metadata: [] });
  }
}

interface StreamEntry {
  /** A date-time; undefined when the sent time is not one. */
  readonly time: string | undefined;
  readonly line: string;
  readonly metadata: Pairs;
}

const LEVELS = ["level", "severity", "detected_level"];
const SERVICES = ["service_name", "service", "app", "job"];

/** Adds the entries of one stream after another. */
class StreamReader {
  readonly #context: ParseContext;
  #refused = 0;
  #fault: string | null = null;

  constructor(context: ParseContext) {
    this.#context = context;
  }

  add(labels: Pairs | undefined, { time, line, metadata }: StreamEntry): void {
    const pairs = [...(labels ?? []), ...metadata];
    const named = (names: readonly string[]): string | undefined =>
      names
        .map((name) => pairs.findLast(([label]) => label === name)?.[1])
        .find((value) => value !== undefined && value !== "");
    const sent = {
      timestamp: time,
      level: named(LEVELS),
      service: named(SERVICES),
      trace_id: named(["trace_id"]),
      span_id: named(["span_id"]),
      attributes: pairs,
    };
    const fields = line.startsWith("{") ? jsonLineOf(line) : undefined;
    const entry = isObject(fields) ? documentEntryOf(fields, sent) : textEntryOf(line, sent);
    const faults = labels === undefined ? [{ pointer: "", detail: "the labels of its stream are not valid" }] : [];
    if (time === undefined) faults.push({ pointer: "", detail: "its time must be nanoseconds since 1970" });
    const refused = this.#context.out.add({ rows: [{ entry }], faults });
    if (refused === undefined) return;
    this.#refused += 1;
    this.#fault ??= `entry ${JSON.stringify(line.slice(0, 100))}: ${refused}`;
  }

  report(): LokiReport {
    return { refused: this.#refused, fault: this.#fault };
  }
}

function pairOf({
  name = "",
  value = "",
}: {
  readonly name?: string;
  readonly value?: string;
}): readonly [string, string] {
  return [name, value];
}

function pairsOf(value: unknown): Pairs {
  return isObject(value) ? Object.entries(value).map(([name, member]) => [unmarkedName(name), textOf(member)]) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Senders write times as numbers, too, and other values as labels. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
