export {
  createAlert,
  deleteAlert,
  findAlert,
  listAlerts,
  progressOf,
  rotateSecret,
  sendTest,
  settingsOf,
  updateAlert,
  versionOf,
  type AlertsDeps,
  type Author,
} from "./alerts.ts";
export { listDeliveries, listEvaluations } from "./history.ts";
export { stateOf, type AlertEventType, type AlertFault, type AlertState } from "./model.ts";
export { type Alert, type DeliveryRow, type EvaluationRow } from "./store.ts";
export { evaluationHandler, type WatchDeps } from "./watch.ts";
