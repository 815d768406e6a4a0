import { answering } from "#domain/idempotency/index.ts";
import type { ALERT_ROUTES } from "@mooring/contract";
import { rotateSecret } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { isoOrNull } from "../model.ts";
import { alertFor, authorOf, WRITING } from "../resources.ts";

const OVERLAP_S = 86_400;

export function rotateAlertSecret(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.rotateAlertSecret> {
  return async ({ params, body }, context) => {
    const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
    const overlapMs = (body.overlap_s ?? OVERLAP_S) * 1000;
    return answering(
      ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
        secret,
        former_secret_until: isoOrNull(formerUntilMs),
      }),
      () => rotateSecret(deps, authorOf(context), alert, overlapMs),
    );
  };
}
