import { createHash } from "node:crypto";
import { batchNameOf, cloudEventOf } from "./cloudevents.ts";
import { fieldOf, textOf, type HookRequest, type LazyJson } from "./request.ts";
import { senderOf, type Sender } from "./senders/index.ts";
import type { Deduplication, Scheme } from "./types.ts";
import { textAt, textsAt } from "./verification/index.ts";

/** How senders name an event and its type. */

const DAY_S = 86_400;
const TYPE_CHARS_MAX = 255;
/** Header fields of known senders that name a delivery. */
const NAMING_FIELDS = [
  "webhook-id",
  "svix-id",
  "x-github-delivery",
  "x-shopify-webhook-id",
  "x-request-uuid", // Bitbucket
  "i-twilio-idempotency-token",
  "idempotency-key",
];
const TYPE_FIELDS = ["x-github-event", "x-gitlab-event", "x-event-key", "x-shopify-topic", "ce-type"];

interface Naming {
  readonly scheme: Scheme;
  readonly deduplication: Deduplication;
  /** True: the request is one event of a batch, and its header fields belong to the whole batch. */
  readonly ofBatch: boolean;
}

export function windowMsOf({ window_s = DAY_S }: Deduplication): number {
  return window_s * 1000;
}

/** Returns a hash of the sender's name for the event; null when it has none. */
export function dedupKeyOf(request: HookRequest, json: LazyJson, naming: Naming): string | null {
  const name = nameOf(request, json, naming);
  if (name === undefined || name === "") return null;
  return createHash("sha256").update(name).digest("base64url");
}

function nameOf(request: HookRequest, json: LazyJson, { scheme, deduplication, ofBatch }: Naming): string | undefined {
  const { by, name = "" } = deduplication;
  if (by === "none") return undefined;
  if (by === "pointer") return textOf(json.at(name));
  const cloudEvent = cloudEventOf(request, json);
  const ofEvent = cloudEvent && `cloudevents ${JSON.stringify([cloudEvent.source, cloudEvent.id])}`;
  const ofSender = senderNameOf(request, json, senderOf(scheme));
  if (ofBatch) return ofEvent ?? ofSender;
  if (by === "header") return fieldOf(request, name);
  if (ofSender !== undefined) return ofSender;
  if (ofEvent !== undefined) return ofEvent;
  const batch = batchNameOf(request);
  if (batch !== undefined) return `cloudevents batch ${batch}`;
  const field = NAMING_FIELDS.find((each) => fieldOf(request, each) !== undefined);
  return field === undefined ? undefined : `${field} ${fieldOf(request, field)}`;
}

/** Returns the name that the sender gives the event by its recipe. */
export function senderNameOf(request: HookRequest, json: LazyJson, sender: Sender | undefined): string | undefined {
  for (const places of sender?.id ?? []) {
    const texts = places.map((place) => textsAt({ request, json }, place));
    if (texts.includes(undefined)) continue;
    const [place, ...more] = places;
    const [text, ...others] = texts.flat();
    if (place === undefined || more.length > 0 || others.length > 0) return JSON.stringify(texts);
    return place.in === "header" ? `${place.name.toLowerCase()} ${text}` : text;
  }
  return undefined;
}

/** Returns the type of the event, if the sender gives one. */
export function typeOf(request: HookRequest, json: LazyJson, scheme: Scheme): string | null {
  for (const place of senderOf(scheme)?.type ?? []) {
    const text = textAt({ request, json }, place);
    if (text !== undefined) return plain(text);
  }
  for (const field of TYPE_FIELDS) {
    const value = fieldOf(request, field);
    if (value !== undefined) return plain(value);
  }
  const type = json.member("type");
  return typeof type === "string" ? plain(type) : null;
}

/** Removes control characters. Some databases can't store them, and people can't read them. */
function plain(text: string): string | null {
  const kept = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .slice(0, TYPE_CHARS_MAX)
    .toWellFormed();
  return kept === "" ? null : kept;
}
