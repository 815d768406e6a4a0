import type { ALERT_ROUTES } from "@mooring/contract";
import { listEvaluations } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { evaluationBody } from "../model.ts";
import { alertFor, READING } from "../resources.ts";

export function listAlertEvaluations(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.listAlertEvaluations> {
  return async ({ params, query }, { principal }) => {
    const alert = await alertFor(deps, principal, params.alert_id, READING);
    const page = await listEvaluations(deps, alert.id, { cursor: query.cursor, limit: query.limit ?? 50 });
    return { items: page.items.map(evaluationBody), next_cursor: page.nextCursor };
  };
}
