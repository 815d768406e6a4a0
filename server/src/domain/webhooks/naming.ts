import { createHash } from "node:crypto";
import { exactJson } from "#kernel/json-text.ts";
import { atPointer, fieldOf, type HookRequest, type LazyJson } from "./request.ts";
import type { Deduplication, Scheme } from "./types.ts";

/** How senders name an event and its type. */

const DAY_S = 86_400;
const TYPE_CHARS_MAX = 255;
/** Fields that name a delivery, of the senders that are known. */
const NAMING_FIELDS = ["webhook-id", "svix-id", "x-github-delivery", "x-shopify-webhook-id", "idempotency-key"];
const TYPE_FIELDS = ["x-github-event", "x-gitlab-event", "x-shopify-topic", "ce-type"];

export function windowMsOf({ window_s = DAY_S }: Deduplication): number {
  return window_s * 1000;
}

/** A hash of what the sender calls the event; null when it has no name. */
export function dedupKeyOf(
  request: HookRequest,
  json: LazyJson,
  { scheme, deduplication }: { readonly scheme: Scheme; readonly deduplication: Deduplication },
): string | null {
  const name = nameOf(request, json, scheme, deduplication);
  if (name === undefined || name === "") return null;
  return createHash("sha256").update(name).digest("base64url");
}

function nameOf(
  request: HookRequest,
  json: LazyJson,
  scheme: Scheme,
  { by, name = "" }: Deduplication,
): string | undefined {
  if (by === "none") return undefined;
  if (by === "header") return fieldOf(request, name);
  if (by === "pointer") return textOf(atPointer(json.value, name));
  if (scheme === "stripe") return textOf(json.member("id"));
  if (scheme === "slack") return textOf(json.member("event_id"));
  for (const field of NAMING_FIELDS) {
    const value = fieldOf(request, field);
    if (value !== undefined) return `${field} ${value}`;
  }
  const id = fieldOf(request, "ce-id");
  return id === undefined ? undefined : `ce-id ${fieldOf(request, "ce-source") ?? ""} ${id}`;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.toWellFormed();
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return typeof value === "number" ? String(value) : undefined;
}

/** What kind of event it is, as far as the sender says so. */
export function typeOf(request: HookRequest, json: LazyJson): string | null {
  for (const field of TYPE_FIELDS) {
    const value = fieldOf(request, field);
    if (value !== undefined) return plain(value);
  }
  const type = json.member("type");
  return typeof type === "string" ? plain(type) : null;
}

/** Some databases can't keep control characters, and people can't read them. */
function plain(text: string): string | null {
  const kept = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .slice(0, TYPE_CHARS_MAX)
    .toWellFormed();
  return kept === "" ? null : kept;
}
