export {
  createErasure,
  dropOrganizationRows,
  eraseProjectRows,
  getErasure,
  listErasures,
  rowsErased,
  type Erasure,
  type ErasureDeps,
  type ErasureInput,
} from "./erasures.ts";
export {
  quotaOf,
  setQuota,
  telemetryChoiceOf,
  updateTelemetryChoice,
  type Quota,
  type RetentionDays,
  type TelemetryChoice,
} from "./policy.ts";
export { allPolicies } from "./store.ts";
