import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { bodyOf } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { eventFor } from "../resources.ts";

/** Never shown as a page of ours, whatever it is. */
const FIELDS = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
};

export function getWebhookEventBody(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhookEventBody> {
  return async ({ params }, { principal, reply }) => {
    const bytes = await bodyOf(deps, await eventFor(deps, principal, params));
    await reply.headers(FIELDS).send(bytes);
    return undefined as never; // the bytes are the answer
  };
}
