import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { cursorOf, newest, readEvents, seqOf } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { answerEvents, listedEvent } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function pollWebhookEvents(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.pollWebhookEvents> {
  return async ({ params, query }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
    const { after, limit = 50, wait_s: waitS = 0 } = query;
    const afterSeq = after === undefined ? 0 : after === "now" ? await newest(deps, webhook.id) : seqOf(after, "after");
    const rows = await readEvents(deps, webhook.id, { afterSeq, limit, waitMs: waitS * 1000, signal: context.signal });
    return answerEvents(context, { items: rows.map(listedEvent), cursor: cursorOf(rows.at(-1)?.seq ?? afterSeq) });
  };
}
