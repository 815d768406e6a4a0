import { elementsOf, isDeeperThan } from "#kernel/json-text.ts";
import { WEBHOOK_BATCH_EVENTS_MAX, WEBHOOK_BATCH_HEADER_BYTES_MAX, WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";
import { fieldOf, LazyJson, type HookRequest } from "./request.ts";

/** CloudEvents 1.0.2, HTTP Protocol Binding: structured, batched and binary content mode. */

const STRUCTURED = "application/cloudevents+json";
const BATCHED = "application/cloudevents-batch+json";

/** `source` and `id` together identify an event. */
export interface CloudEventName {
  readonly source: string;
  readonly id: string;
}

/** Returns the name of an event. In structured mode it is in the body, in binary mode in header fields. */
export function cloudEventOf(request: HookRequest, json: LazyJson): CloudEventName | undefined {
  if (mediaTypeOf(request) === STRUCTURED) return nameIn(json);
  const id = fieldOf(request, "ce-id");
  return id === undefined ? undefined : { source: unescaped(fieldOf(request, "ce-source") ?? ""), id: unescaped(id) };
}

/** Returns the names of all events of a batch as one name, for a batch that is stored as one event. */
export function batchNameOf(request: HookRequest): string | undefined {
  const names = eventsOf(request)?.map(({ json }) => nameIn(json));
  if (names === undefined || names.includes(undefined)) return undefined;
  return JSON.stringify(names.map((name) => [name?.source, name?.id]));
}

/**
 * Splits a batch into one request for each event, with its original text. Undefined for a body that is not a batch of
 * CloudEvents, or has too many. Such a body is stored as one event.
 */
export function batchOf(request: HookRequest): HookRequest[] | undefined {
  const events = eventsOf(request);
  if (events === undefined || events.some(({ json }) => nameIn(json) === undefined)) return undefined;
  const headerBytes = request.rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (events.length > WEBHOOK_BATCH_EVENTS_MAX || events.length * headerBytes > WEBHOOK_BATCH_HEADER_BYTES_MAX)
    return undefined;
  const headers = { ...request.headers, "content-type": STRUCTURED };
  return events.map(({ body }) => ({ ...request, headers, body }));
}

/** Returns the events of a batch with their original texts; undefined for another body or an empty batch. */
function eventsOf(request: HookRequest): { body: Buffer; json: LazyJson }[] | undefined {
  if (mediaTypeOf(request) !== BATCHED) return undefined;
  const text = request.body.toString("utf8");
  if (isDeeperThan(text, WEBHOOK_JSON_DEPTH_MAX)) return undefined;
  const elements = elementsOf(text);
  if (elements === undefined || elements.length === 0) return undefined;
  return elements.map((element) => {
    const body = Buffer.from(element);
    return { body, json: new LazyJson(body) };
  });
}

function nameIn(json: LazyJson): CloudEventName | undefined {
  const [source, id] = [json.member("source"), json.member("id")];
  return typeof source === "string" && typeof id === "string" && id !== "" ? { source, id } : undefined;
}

function mediaTypeOf(request: HookRequest): string | undefined {
  return fieldOf(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
}

/** Decodes the percent-encoding of header values ("3.1.3.2. HTTP Header Values"). */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
