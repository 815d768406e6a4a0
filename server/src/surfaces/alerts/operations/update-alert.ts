import type { ALERT_ROUTES } from "@mooring/contract";
import { updateAlert as update } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { versioned } from "../model.ts";
import { alertFor, authorOf, WRITING } from "../resources.ts";

export function updateAlert(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.updateAlert> {
  return async ({ params, body }, context) => {
    const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
    const options = { change: body, ifMatch: context.request.headers["if-match"] };
    return versioned(context, await update(deps, authorOf(context), alert, options));
  };
}
