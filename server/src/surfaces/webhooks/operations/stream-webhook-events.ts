import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { newest, seqOf } from "#domain/webhooks/index.ts";
import { preferredType, type Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { webhookFor } from "../resources.ts";

const EVENTS = "text/event-stream";

export function streamWebhookEvents(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.streamWebhookEvents> {
  return async ({ params, query }, { principal, request, reply }) => {
    if (preferredType(request.headers.accept, [EVENTS]) === null)
      throw new Problem("not_acceptable", `Events come as ${EVENTS}.`);
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    // The header is what an EventSource sends when it connects again, so it is later than what the address says.
    const last = [request.headers["last-event-id"]].flat()[0] || query.last_event_id;
    const afterSeq = last === undefined || last === "" ? await newest(deps, webhook.id) : seqOf(last, "last_event_id");
    deps.streams.admit(principal.orgId);
    void reply.headers({ "content-type": EVENTS, "cache-control": "no-store", "x-accel-buffering": "no" });
    if (request.method === "HEAD") {
      await reply.send("");
      return undefined as never; // the header was all
    }
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
    return undefined as never; // the stream is the answer
  };
}
