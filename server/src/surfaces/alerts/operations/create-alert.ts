import { answering } from "#domain/idempotency/index.ts";
import type { ALERT_ROUTES } from "@mooring/contract";
import { createAlert as create, type Alert } from "#domain/alerts/index.ts";
import type { Operation } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "../deps.ts";
import { alertBody } from "../model.ts";
import { authorOf, savedQueryFor } from "../resources.ts";

export function createAlert(deps: AlertsSurfaceDeps): Operation<typeof ALERT_ROUTES.createAlert> {
  return async ({ body }, context) => {
    const { query_id, ...input } = body;
    const query = await savedQueryFor(deps, context.principal, query_id);
    return answering(
      ({ alert, secret }: { alert: Alert; secret: string }) => ({ ...alertBody(alert, context.principal), secret }),
      () => create(deps, authorOf(context), query, input),
    );
  };
}
