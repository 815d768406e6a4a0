import { isUtf8 } from "node:buffer";
import { elementsOf, isDeeperThan } from "#kernel/json-text.ts";
import { WEBHOOK_BATCH_EVENTS_MAX, WEBHOOK_BATCH_HEADER_BYTES_MAX, WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";
import { senderNameOf } from "./naming.ts";
import { LazyJson, type HookRequest } from "./request.ts";
import { pointersOfScheme, senderOf } from "./senders/index.ts";
import type { Scheme } from "./types.ts";

/**
 * Splits a body that is a list of events into one request for each, with its original text. Undefined for other bodies,
 * senders that send one event at a time, and lists that are too long. Such a body is stored as one event.
 */
export function senderBatchOf(request: HookRequest, scheme: Scheme): HookRequest[] | undefined {
  const sender = senderOf(scheme);
  if (sender?.batch !== true || request.body.length === 0 || !isUtf8(request.body)) return undefined;
  const text = request.body.toString("utf8");
  if (!text.trimStart().startsWith("[") || isDeeperThan(text, WEBHOOK_JSON_DEPTH_MAX)) return undefined;
  const elements = elementsOf(text) ?? [];
  if (elements.length === 0 || elements.length > WEBHOOK_BATCH_EVENTS_MAX) return undefined;
  const headerBytes = request.rawHeaders.reduce((sum, each) => sum + each.length, 0);
  if (elements.length * headerBytes > WEBHOOK_BATCH_HEADER_BYTES_MAX) return undefined;
  const events = elements.map((element) => ({ ...request, body: Buffer.from(element) }));
  const isNamed = (event: HookRequest): boolean =>
    senderNameOf(event, new LazyJson(event.body, pointersOfScheme(scheme)), sender) !== undefined;
  return events.every(isNamed) ? events : undefined;
}
