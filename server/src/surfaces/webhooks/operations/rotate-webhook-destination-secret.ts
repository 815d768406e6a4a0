import { answering } from "#domain/idempotency/index.ts";
import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { rotateDestinationSecret } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { isoOrNull } from "../model.ts";
import { callerOf, destinationFor } from "../resources.ts";

const OVERLAP_S = 86_400;

export function rotateWebhookDestinationSecret(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.rotateWebhookDestinationSecret> {
  return async ({ params, body }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    const overlapMs = (body.overlap_s ?? OVERLAP_S) * 1000;
    return answering(
      ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
        secret,
        former_secret_until: isoOrNull(formerUntilMs),
      }),
      () => rotateDestinationSecret(deps, callerOf(context), destination, overlapMs),
    );
  };
}
