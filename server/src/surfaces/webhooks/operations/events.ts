import { replayEvent } from "#domain/delivery/index.ts";
import { bodyOf, cursorOf, listEvents, newest, readEvents, seqOf } from "#domain/webhooks/index.ts";
import { callerOf, preferredType } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { WebhookOperation } from "../deps.ts";
import { answerEvents, listedEvent, timesOf, wholeEvent } from "../model.ts";
import { eventFor, webhookFor } from "../resources.ts";

export const listWebhookEvents: WebhookOperation<"listWebhookEvents"> = async (deps, { params, query }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
  const { from, to, type, header, pointer, q: text, verified, cursor, limit = 50 } = query;
  const search = { ...timesOf({ from, to }, "invalid_parameter"), type, header, pointer, text, verified };
  const page = await listEvents(deps, webhook.id, search, { cursor, limit });
  return answerEvents(context, { items: page.items.map(listedEvent), next_cursor: page.nextCursor });
};

export const getWebhookEvent: WebhookOperation<"getWebhookEvent"> = async (deps, { params }, context) => {
  const event = await eventFor(deps, context.principal, params);
  return answerEvents(context, await wholeEvent(deps, event));
};

/** Prevents content from running as a page of our origin. */
const FIELDS = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
};

export const getWebhookEventBody: WebhookOperation<"getWebhookEventBody"> = async (
  deps,
  { params },
  { principal, reply },
) => {
  const bytes = await bodyOf(deps, await eventFor(deps, principal, params));
  await reply.headers(FIELDS).send(bytes);
  return undefined as never; // The bytes are the answer.
};

export const pollWebhookEvents: WebhookOperation<"pollWebhookEvents"> = async (deps, { params, query }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
  const { after, limit = 50, wait_s: waitS = 0 } = query;
  const afterSeq = after === undefined ? 0 : after === "now" ? await newest(deps, webhook.id) : seqOf(after, "after");
  const rows = await readEvents(deps, webhook.id, { afterSeq, limit, waitMs: waitS * 1000, signal: context.signal });
  return answerEvents(context, { items: rows.map(listedEvent), cursor: cursorOf(rows.at(-1)?.seq ?? afterSeq) });
};

const EVENTS = "text/event-stream";

export const streamWebhookEvents: WebhookOperation<"streamWebhookEvents"> = async (
  deps,
  { params, query },
  { principal, request, reply },
) => {
  if (preferredType(request.headers.accept, [EVENTS]) === null)
    throw new Problem("not_acceptable", `This operation can answer only as ${EVENTS}.`);
  const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
  // An EventSource sends the header when it reconnects, so it is later than the parameter in the address.
  const last = [request.headers["last-event-id"]].flat()[0] || query.last_event_id;
  const afterSeq = last === undefined || last === "" ? await newest(deps, webhook.id) : seqOf(last, "last_event_id");
  deps.streams.admit(principal.orgId);
  void reply.headers({ "content-type": EVENTS, "cache-control": "no-store", "x-accel-buffering": "no" });
  if (request.method === "HEAD") {
    await reply.send("");
    return undefined as never; // HEAD needs only the header.
  }
  reply.logStream();
  reply.hijack();
  deps.streams.open(reply.raw, {
    orgId: principal.orgId,
    webhookId: webhook.id,
    afterSeq,
    look: async () => {
      const now = await deps.host.readmit(request, "webhooks:read");
      await webhookFor(deps, now, webhook.id, "webhooks:read");
    },
    headers: reply.getHeaders(),
  });
  return undefined as never; // The stream is the answer.
};

export const replayWebhookEvent: WebhookOperation<"replayWebhookEvent"> = async (deps, { params, body }, context) => {
  const event = await eventFor(deps, context.principal, params, "webhooks:write");
  return { count: await replayEvent(deps, callerOf(context), event, body.destination_id) };
};
