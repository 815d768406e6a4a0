import { answering } from "#domain/idempotency/index.ts";
import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { rotateSecret } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { isoOrNull } from "../model.ts";
import { callerOf, webhookFor } from "../resources.ts";

const OVERLAP_S = 86_400;

export function rotateWebhookSecret(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.rotateWebhookSecret> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    const options = { secret: body.secret, overlapMs: (body.overlap_s ?? OVERLAP_S) * 1000 };
    const answer = await answering(
      ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
        secret: body.secret === undefined ? secret : null,
        former_secret_until: isoOrNull(formerUntilMs),
      }),
      () => rotateSecret(deps, callerOf(context), webhook, options),
    );
    deps.receiver.forget();
    return answer;
  };
}
