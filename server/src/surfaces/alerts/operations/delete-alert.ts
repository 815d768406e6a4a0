import type { ALERT_ROUTES } from "@mooring/contract";
import { deleteAlert as remove } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { alertFor, authorOf, WRITING } from "../resources.ts";

export function deleteAlert(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.deleteAlert> {
  return async ({ params }, context) => {
    await remove(deps, authorOf(context), await alertFor(deps, context.principal, params.alert_id, WRITING));
    return undefined;
  };
}
