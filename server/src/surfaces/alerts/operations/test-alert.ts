import type { ALERT_ROUTES } from "@mooring/contract";
import { sendTest } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { deliveryBody } from "../model.ts";
import { alertFor, authorOf, WRITING } from "../resources.ts";

export function testAlert(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.testAlert> {
  return async ({ params }, context) => {
    const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
    return deliveryBody(await sendTest(deps, authorOf(context), alert));
  };
}
