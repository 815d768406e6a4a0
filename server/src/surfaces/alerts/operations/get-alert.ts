import type { ALERT_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { versioned } from "../model.ts";
import { alertFor, READING } from "../resources.ts";

export function getAlert(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.getAlert> {
  return async ({ params }, context) =>
    versioned(context, await alertFor(deps, context.principal, params.alert_id, READING));
}
