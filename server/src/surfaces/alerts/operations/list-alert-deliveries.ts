import type { ALERT_ROUTES } from "@mooring/contract";
import { listDeliveries } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { deliveryBody } from "../model.ts";
import { alertFor, READING } from "../resources.ts";

export function listAlertDeliveries(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.listAlertDeliveries> {
  return async ({ params, query }, { principal }) => {
    const alert = await alertFor(deps, principal, params.alert_id, READING);
    const page = await listDeliveries(deps, alert.id, { cursor: query.cursor, limit: query.limit ?? 50 });
    return { items: page.items.map(deliveryBody), next_cursor: page.nextCursor };
  };
}
