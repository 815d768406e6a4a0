import { answering } from "#domain/idempotency/index.ts";
import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { rotateUrl } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { hookUrl } from "../model.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function rotateWebhookUrl(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.rotateWebhookUrl> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    const graceMs = (body.grace_s ?? 0) * 1000;
    const answer = await answering(
      ({ token, formerUntilMs }: { token: string; formerUntilMs: number }) => ({
        webhook_url: hookUrl(deps, token),
        former_url_until: isoFromMs(formerUntilMs),
      }),
      () => rotateUrl(deps, callerOf(context), webhook, graceMs),
    );
    deps.receiver.forget();
    return answer;
  };
}
