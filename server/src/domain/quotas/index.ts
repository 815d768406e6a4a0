export type { Usage } from "./kinds.ts";
export { bytesLeft, requireQuota, reserveQuota, setStoredQuota, type Quota } from "./quotas.ts";
export {
  fullestOf,
  changeQuota,
  limitOfShortage,
  quotaRows,
  quotaSetting,
  requireScopes,
  shortageText,
  targetOf,
  usedBy,
  type TargetScope,
  type Shortage,
} from "./scopes/index.ts";
export {
  addUsage,
  fullestOrganization,
  storedQuotaAhead,
  storedQuotaOf,
  storedQuotas,
  usageOf,
  usageRows,
} from "./store.ts";
export { OrganizationTotals } from "./totals.ts";
