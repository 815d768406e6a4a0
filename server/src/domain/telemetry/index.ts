export { countErasure, requireExpected, type Counted, type Counting } from "./erasure-count.ts";
export {
  createErasure,
  dropOrganizationRows,
  erasePersonRows,
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
export { putRetentionRules, retentionRulesOf, versionOf, type RetentionRules } from "./retention-rules.ts";
export { countPast } from "./retention-preview.ts";
export { accessLogOf, updateAccessLog, type AccessLogSettings } from "./access-log.ts";
export { queryLogOf, updateQueryLog, type QueryLogSettings } from "./query-log.ts";
export { allPolicies } from "./store.ts";
