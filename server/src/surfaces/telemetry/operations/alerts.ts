import {
  createAlert as create,
  deleteAlert as remove,
  listAlerts as list,
  listDeliveries,
  listEvaluations,
  rotateSecret,
  sendTest,
  updateAlert as update,
  type Alert,
} from "#domain/alerts/index.ts";
import { answering } from "#domain/idempotency/index.ts";
import { reachOf } from "#domain/identity/index.ts";
import { projectIfNamed } from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import { alertFor, READING, savedQueryFor, WRITING } from "../alert-resources.ts";
import type { AlertOperation } from "../deps.ts";
import { alertBody, deliveryBody, evaluationBody, isoOrNull, versioned } from "../model-alerts.ts";

export const listAlerts: AlertOperation<"listAlerts"> = async (deps, { query }, { principal }) => {
  const { project, cursor, limit = 50 } = query;
  const projectId = (await projectIfNamed(deps, principal, project, ...READING))?.id;
  const page = await list(deps, principal.orgId, reachOf(principal, "telemetry:read"), { projectId, cursor, limit });
  return { items: page.items.map((alert) => alertBody(alert, principal)), next_cursor: page.nextCursor };
};

export const createAlert: AlertOperation<"createAlert"> = async (deps, { body }, context) => {
  const { query_id, ...input } = body;
  const query = await savedQueryFor(deps, context.principal, query_id);
  return answering(
    ({ alert, secret }: { alert: Alert; secret: string }) => ({ ...alertBody(alert, context.principal), secret }),
    () => create(deps, callerOf(context), query, input),
  );
};

export const getAlert: AlertOperation<"getAlert"> = async (deps, { params }, context) =>
  versioned(context, await alertFor(deps, context.principal, params.alert_id, READING));

export const updateAlert: AlertOperation<"updateAlert"> = async (deps, { params, body }, context) => {
  const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
  const options = { change: body, ifMatch: context.request.headers["if-match"] };
  return versioned(context, await update(deps, callerOf(context), alert, options));
};

export const deleteAlert: AlertOperation<"deleteAlert"> = async (deps, { params }, context) => {
  await remove(deps, callerOf(context), await alertFor(deps, context.principal, params.alert_id, WRITING));
  return undefined;
};

export const testAlert: AlertOperation<"testAlert"> = async (deps, { params }, context) => {
  const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
  return deliveryBody(await sendTest(deps, callerOf(context), alert));
};

const OVERLAP_S = 86_400;

export const rotateAlertSecret: AlertOperation<"rotateAlertSecret"> = async (deps, { params, body }, context) => {
  const alert = await alertFor(deps, context.principal, params.alert_id, WRITING);
  const overlapMs = (body.overlap_s ?? OVERLAP_S) * 1000;
  return answering(
    ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
      secret,
      former_secret_until: isoOrNull(formerUntilMs),
    }),
    () => rotateSecret(deps, callerOf(context), alert, overlapMs),
  );
};

export const listAlertDeliveries: AlertOperation<"listAlertDeliveries"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const alert = await alertFor(deps, principal, params.alert_id, READING);
  const page = await listDeliveries(deps, alert.id, { cursor: query.cursor, limit: query.limit ?? 50 });
  return { items: page.items.map(deliveryBody), next_cursor: page.nextCursor };
};

export const listAlertEvaluations: AlertOperation<"listAlertEvaluations"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const alert = await alertFor(deps, principal, params.alert_id, READING);
  const page = await listEvaluations(deps, alert.id, { cursor: query.cursor, limit: query.limit ?? 50 });
  return { items: page.items.map(evaluationBody), next_cursor: page.nextCursor };
};
