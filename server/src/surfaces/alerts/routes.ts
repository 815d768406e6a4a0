import type { FastifyInstance } from "fastify";
import { ALERT_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { AlertsSurfaceDeps } from "./deps.ts";
import { createAlert } from "./operations/create-alert.ts";
import { deleteAlert } from "./operations/delete-alert.ts";
import { getAlert } from "./operations/get-alert.ts";
import { listAlertDeliveries } from "./operations/list-alert-deliveries.ts";
import { listAlertEvaluations } from "./operations/list-alert-evaluations.ts";
import { listAlerts } from "./operations/list-alerts.ts";
import { rotateAlertSecret } from "./operations/rotate-alert-secret.ts";
import { testAlert } from "./operations/test-alert.ts";
import { updateAlert } from "./operations/update-alert.ts";

/** Row → operation. The permission of each stands in the contract's row. */
export function mountAlerts(app: FastifyInstance, deps: AlertsSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.listAlerts, listAlerts(deps));
  mountRoute(app, host, rows.createAlert, createAlert(deps));
  mountRoute(app, host, rows.getAlert, getAlert(deps));
  mountRoute(app, host, rows.updateAlert, updateAlert(deps));
  mountRoute(app, host, rows.deleteAlert, deleteAlert(deps));
  mountRoute(app, host, rows.testAlert, testAlert(deps));
  mountRoute(app, host, rows.rotateAlertSecret, rotateAlertSecret(deps));
  mountRoute(app, host, rows.listAlertDeliveries, listAlertDeliveries(deps));
  mountRoute(app, host, rows.listAlertEvaluations, listAlertEvaluations(deps));
}
