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
export { quotaOf, retentionDaysOf, setQuota, updateRetention, type Quota, type RetentionDays } from "./policy.ts";
export { allPolicies } from "./store.ts";
