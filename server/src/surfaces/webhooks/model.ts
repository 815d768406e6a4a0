import type { ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import {
  bodyOf,
  cursorOf,
  needsSecret,
  readBody,
  settingsOf,
  urlsOfWebhooks,
  versionOf,
  type EventRow,
  type RejectionRow,
  type UrlRow,
  type Webhook,
} from "#domain/webhooks/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, msFromIso } from "#kernel/time.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";

/** Converts records to the contract's form. */

type Rows = typeof WEBHOOK_ROUTES;
export type WebhookBody = ResultOf<Rows["getWebhook"]>;
export type EventBody = ResultOf<Rows["getWebhookEvent"]>;
type RejectionBody = ResultOf<Rows["listWebhookRejections"]>["items"][number];

export async function webhookBodies(
  deps: Pick<WebhooksSurfaceDeps, "metadata">,
  webhooks: readonly Webhook[],
): Promise<WebhookBody[]> {
  const urls = await urlsOfWebhooks(deps, webhooks);
  return webhooks.map((webhook) => bodyWith(webhook, urls.get(webhook.id) ?? []));
}

export async function webhookBody(deps: Pick<WebhooksSurfaceDeps, "metadata">, webhook: Webhook): Promise<WebhookBody> {
  const [body] = await webhookBodies(deps, [webhook]);
  return body as WebhookBody;
}

/** Returns the webhook's body and sends its version, for `If-Match`. */
export async function versioned(
  deps: Pick<WebhooksSurfaceDeps, "metadata">,
  context: OperationContext,
  webhook: Webhook,
): Promise<WebhookBody> {
  void context.reply.header("etag", etagOf(versionOf(webhook)));
  return webhookBody(deps, webhook);
}

export function hookUrl({ webhooksUrl }: Pick<WebhooksSurfaceDeps, "webhooksUrl">, token: string): string {
  return `${webhooksUrl}/hooks/${token}`;
}

function bodyWith(webhook: Webhook, urls: readonly UrlRow[]): WebhookBody {
  const { verification, allowed_ips, handshakes, deduplication, response } = settingsOf(webhook);
  return {
    id: webhook.id,
    project_id: webhook.project_id,
    name: webhook.name,
    enabled: webhook.paused === 0,
    verification,
    allowed_ips: [...allowed_ips],
    handshakes: [...handshakes],
    deduplication,
    response,
    has_secret: needsSecret(verification.scheme),
    retention_days: webhook.retention_days,
    urls: urls.map(({ hint, created_at, expires_at, hits, last_hit_at }) => ({
      hint,
      created_at: isoFromMs(created_at),
      expires_at: isoOrNull(expires_at),
      hits,
      last_hit_at: isoOrNull(last_hit_at),
    })),
    created_by: webhook.created_by,
    created_at: isoFromMs(webhook.created_at),
    updated_at: isoFromMs(webhook.updated_at),
  };
}

/** Returns the event as a list has it, without a large body. */
export function listedEvent(event: EventRow): EventBody {
  return eventWith(event, event.body === null ? null : Buffer.from(event.body));
}

export async function wholeEvent(deps: WebhooksSurfaceDeps, event: EventRow): Promise<EventBody> {
  return eventWith(event, await bodyOf(deps, event));
}

function eventWith(event: EventRow, bytes: Buffer | null): EventBody {
  const read = bytes === null ? null : readBody(bytes);
  return {
    id: event.id,
    webhook_id: event.webhook_id,
    received_at: isoFromMs(event.received_at),
    type: event.type,
    method: event.method,
    query: event.query,
    headers: JSON.parse(event.headers) as string[][],
    content_type: event.content_type,
    size_bytes: event.size,
    ip: event.ip,
    verified: event.verified as EventBody["verified"],
    duplicates: event.duplicates,
    cursor: cursorOf(event.seq),
    body_format: read?.format ?? null,
    body: read?.text ?? null,
    body_base64: read?.format === "binary" ? (bytes?.toString("base64") ?? null) : null,
    json: read?.json ?? null,
  };
}

/**
 * Renders an event as JSON text. Its member `json` is the sender's text, since `JSON.stringify` would change numbers
 * and repeated members, and fail for deeply nested values.
 */
export function eventText({ json, ...rest }: EventBody): string {
  return `${JSON.stringify(rest).slice(0, -1)},"json":${typeof json === "string" ? json : "null"}}`;
}

/** Sends a result whose events are written by `eventText`. To be called last, since errors have another form. */
export function answerEvents<T extends EventBody | { readonly items: readonly EventBody[] }>(
  { reply }: Pick<OperationContext, "reply">,
  result: T,
): T {
  void reply.serializer(() => {
    if (!("items" in result)) return eventText(result);
    const { items, ...rest } = result;
    return `{"items":[${items.map(eventText).join(",")}],${JSON.stringify(rest).slice(1)}`;
  });
  return result;
}

export function rejectionBody(row: RejectionRow): RejectionBody {
  const { id, reason, method, query, ip } = row;
  return {
    id,
    at: isoFromMs(row.at),
    reason,
    method,
    query,
    headers: JSON.parse(row.headers) as string[][],
    size_bytes: row.size,
    body: Buffer.from(row.body).toString("utf8"),
    ip,
  };
}

/** Returns the requested time range. @throws Problem with the given code when it ends before it begins */
export function timesOf(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  code: "invalid_parameter" | "invalid_body",
): { fromMs?: number; toMs?: number } {
  const fromMs = from === undefined ? undefined : msFromIso(from);
  const toMs = to === undefined ? undefined : msFromIso(to);
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs)
    throw new Problem(code, "The time range ends before it begins.", {
      errors: [{ pointer: "/to", detail: "must be after from" }],
    });
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
